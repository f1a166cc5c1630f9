import { useState } from "react";
import { useApp, useController } from "../app/use";
import type { Failure } from "../client/failure";
import { text } from "../messages";
import type { AgentSummary, ModelOffer } from "../protocol";
import { modelName } from "../state/models";
import { Button } from "../ui/Button";
import { Problem } from "../ui/Problem";
import styles from "./AgentView.module.css";

/** Which model answers for an agent, of those that there are. */
export function ModelChoice({ agent }: { agent: AgentSummary }) {
  const { agents } = useController();
  const models = useApp((state) => state.models);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [changed, setChanged] = useState("");
  const mayChange = agent.scope === "user" || models.keys.mayChange;
  const { list } = models;
  const [choosing, setChoosing] = useState<string | null>();
  const named = choosing === undefined ? agent.llmModel : choosing;
  const listed = !named || list.models.some((model) => model.spec === named);

  const usable = list.models.filter((model) => model.usable || model.spec === named);

  const choose = async (spec: string | null) => {
    setChanged("");
    setChoosing(spec);
    const problem = await agents.useModel(agent.agentId, spec);
    setChoosing(undefined);
    setFailure(problem);
    if (!problem) setChanged(text.agent.changed(agent.name, modelName(models, spec ?? list.main)));
  };
  return (
    <section>
      <h3>{text.agent.model}</h3>
      <p className={styles.lead}>{text.agent.modelLead(agent.name)}</p>
      {!mayChange && <p className={styles.note}>{text.agent.mayNot}</p>}
      {failure && <Problem title={text.agent.refused} failure={failure} />}
      <fieldset className={styles.models} disabled={!mayChange}>
        <legend className="visually-hidden">{text.agent.model}</legend>
        <Choice
          name={text.agent.standard}
          about={modelName(models, list.main)}
          checked={!named}
          onChoose={() => void choose(null)}
        />
        {usable.map((model) => (
          <Choice
            key={model.spec}
            name={model.name}
            about={aboutOf(model)}
            checked={model.spec === named}
            onChoose={() => void choose(model.spec)}
          />
        ))}
        {!listed && <Choice name={named} about="" checked onChoose={() => undefined} />}
      </fieldset>
      <NotUsable models={list.models.filter((model) => !usable.includes(model))} />
      {mayChange && <OtherModel onUse={choose} />}
      <p role="status" className={styles.done}>
        {changed}
      </p>
    </section>
  );
}

function aboutOf({ usable, reason, capabilities, spec, name }: ModelOffer): string {
  if (!usable) return reason ?? text.agent.notUsable;
  const can = text.agent.can;
  const abilities = [
    capabilities.thinking && can.thinking,
    capabilities.images && can.images,
    capabilities.documents && can.documents,
  ];
  return [spec === name ? "" : spec, ...abilities].filter(Boolean).join(" · ");
}

/** Models that would answer, had their providers a key. */
function NotUsable({ models }: { models: ModelOffer[] }) {
  if (models.length === 0) return null;
  return (
    <details className={styles.unusable}>
      <summary>{text.agent.notUsableNow(models.length)}</summary>
      <ul>
        {models.map((model) => (
          <li key={model.spec}>
            <span className={styles.name}>{model.name}</span>
            <span className={styles.about}>{aboutOf(model)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface ChoiceProps {
  name: string;
  about: string;
  checked: boolean;
  onChoose: () => void;
}

function Choice({ name, about, checked, onChoose }: ChoiceProps) {
  return (
    <label className={styles.model}>
      <input type="radio" name="model" checked={checked} onChange={onChoose} />
      <span>
        <span className={styles.name}>{name}</span>
        {about && <span className={styles.about}>{about}</span>}
      </span>
    </label>
  );
}

/** A model that is not listed, by its spec. */
function OtherModel({ onUse }: { onUse: (spec: string) => Promise<void> }) {
  const [spec, setSpec] = useState("");
  return (
    <form
      className={styles.other}
      onSubmit={(event) => {
        event.preventDefault();
        void onUse(spec.trim());
      }}
    >
      <label>
        {text.agent.other}
        <input
          value={spec}
          placeholder={text.agent.otherExample}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setSpec(event.target.value)}
        />
      </label>
      <Button type="submit" disabled={spec.trim() === ""}>
        {text.agent.use}
      </Button>
    </form>
  );
}
