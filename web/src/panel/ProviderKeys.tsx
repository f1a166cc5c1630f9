import { useState } from "react";
import { useApp, useController } from "../app/use";
import type { Failure } from "../client/failure";
import { text } from "../messages";
import type { ModelKey, ProviderOffer } from "../protocol";
import { Button, IconButton } from "../ui/Button";
import { Problem } from "../ui/Problem";
import styles from "./AgentView.module.css";

/** The keys of the models' providers: which there are, and a place to enter one. */
export function ProviderKeys() {
  const { list, keys } = useApp((state) => state.models);
  return (
    <section>
      <h3>{text.agent.keys}</h3>
      <p className={styles.lead}>{text.agent.keysLead}</p>
      {!keys.mayChange && <p className={styles.note}>{text.agent.keysMayNot}</p>}
      <ul className={styles.providers} aria-label={text.agent.keys}>
        {list.providers.map((provider) => (
          <Provider
            key={provider.provider}
            offer={provider}
            kept={keys.credentials.find((each) => each.provider === provider.provider)}
            mayChange={keys.mayChange}
          />
        ))}
      </ul>
    </section>
  );
}

interface ProviderProps {
  offer: ProviderOffer;
  kept: ModelKey | undefined;
  mayChange: boolean;
}

function Provider({ offer, kept, mayChange }: ProviderProps) {
  const { agents } = useController();
  const [entering, setEntering] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [result, setResult] = useState<{ words: string; good: boolean }>();
  const { provider, title, needsKey } = offer;

  const keep = async (apiKey: string, baseUrl: string) => {
    setResult(undefined);
    const outcome = await agents.keep({ provider, apiKey, baseUrl });
    if (outcome !== null && typeof outcome === "object") {
      setFailure(outcome);
      return;
    }
    setFailure(null);
    setEntering(false);
    if (outcome) setResult({ words: text.agent.checked[outcome], good: outcome === "ok" });
  };
  const forget = async () => {
    setResult(undefined);
    setFailure(await agents.forget(provider));
  };
  return (
    <li>
      <div className={styles.provider}>
        <p>
          <span className={styles.name}>{title}</span>
          <span className={styles.about} data-source={kept?.source ?? "none"}>
            {stateOf(kept, needsKey)}
            {kept?.baseUrl && ` · ${kept.baseUrl}`}
          </span>
        </p>
        {mayChange && !entering && (
          <Button onClick={() => setEntering(true)}>
            {kept ? text.agent.change : text.agent.set}
            <span className="visually-hidden">{text.agent.key(title)}</span>
          </Button>
        )}
        {mayChange && kept?.source === "stored" && (
          <IconButton
            icon="trash"
            size={16}
            label={text.agent.remove(title)}
            onClick={() => void forget()}
          />
        )}
      </div>
      {failure && <Problem title={text.agent.refused} failure={failure} />}
      {entering && <KeyForm title={title} onKeep={keep} onCancel={() => setEntering(false)} />}
      {result && (
        <p role="status" className={styles.result} data-good={result.good}>
          {result.words}
        </p>
      )}
    </li>
  );
}

function stateOf(kept: ModelKey | undefined, needsKey: boolean): string {
  if (kept?.source === "stored") return text.agent.source.stored(kept.hint);
  if (kept) return text.agent.source.environment;
  return needsKey ? text.agent.source.none : text.agent.noKeyNeeded;
}

interface FormProps {
  title: string;
  onKeep: (apiKey: string, baseUrl: string) => Promise<void>;
  onCancel: () => void;
}

function KeyForm({ title, onKeep, onCancel }: FormProps) {
  const [key, setKey] = useState("");
  const [address, setAddress] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    await onKeep(key.trim(), address.trim());
    setBusy(false);
  };
  return (
    <form
      className={styles.keyForm}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label>
        {text.agent.key(title)}
        <input
          // eslint-disable-next-line jsx-a11y/no-autofocus -- the button that was pressed becomes this field
          autoFocus
          type="password"
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
      </label>
      <label>
        {text.agent.address(title)}
        <input
          type="url"
          autoComplete="off"
          placeholder="https://"
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
      </label>
      <div className={styles.buttons}>
        <Button onClick={onCancel}>{text.agent.cancel}</Button>
        <Button kind="primary" type="submit" disabled={busy || !(key.trim() || address.trim())}>
          {busy ? text.agent.checking : text.agent.save}
        </Button>
      </div>
    </form>
  );
}
