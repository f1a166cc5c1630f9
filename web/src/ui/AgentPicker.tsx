import { useApp, useController } from "../app/use";
import { useAgent } from "../app/useAgent";
import { text } from "../messages";
import styles from "./AgentPicker.module.css";

/** Whom the next conversation is with; nothing where there is no choice. */
export function AgentPicker() {
  const { chat } = useController();
  const agents = useApp((state) => state.me?.agents) ?? [];
  const chosen = useAgent(null);
  if (agents.length < 2) return null;
  return (
    <fieldset className={styles.picker}>
      <legend>{text.agent.choose}</legend>
      {agents.map(({ agentId, name, description, status }) => (
        <label key={agentId} title={description ?? undefined}>
          <input
            type="radio"
            name="agent"
            checked={agentId === chosen?.agentId}
            disabled={status !== "ACTIVE"}
            onChange={() => chat.fresh({ agentId })}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
