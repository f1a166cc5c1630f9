import { useEffect } from "react";
import { go } from "../app/route";
import { useApp, useController } from "../app/use";
import { useAgent } from "../app/useAgent";
import { text } from "../messages";
import { Button } from "../ui/Button";
import { Problem } from "../ui/Problem";
import { Skeleton } from "../ui/Skeleton";
import { AgentPicker } from "../ui/AgentPicker";
import styles from "./AgentView.module.css";
import { ModelChoice } from "./ModelChoice";
import { ProviderKeys } from "./ProviderKeys";

/** Who answers: the agent, its model, and the keys of the models' providers. */
export function AgentView({ conversationId }: { conversationId: string | null }) {
  const { agents, chat } = useController();
  const agent = useAgent(conversationId);
  const others = useApp((state) => state.me?.agents)?.filter((each) => each !== agent) ?? [];
  const { phase, failure } = useApp((state) => state.models);
  useEffect(() => void agents.load(), [agents]);
  if (!agent) return null;
  return (
    <div className={styles.view}>
      {!conversationId && <AgentPicker />}
      {conversationId && others.length > 0 && (
        <section>
          <h3>{agent.name}</h3>
          <p className={styles.lead}>{text.agent.chooseLead}</p>
          {others.map(({ agentId, name }) => (
            <Button
              key={agentId}
              icon="plus"
              onClick={() => {
                chat.fresh({ agentId });
                go(null);
              }}
            >
              {text.agent.begin(name)}
            </Button>
          ))}
        </section>
      )}
      {(phase === "loading" || phase === "idle") && (
        <Skeleton widths={[60, 90, 80]} label={text.agent.loading} />
      )}
      {phase === "failed" && (
        <Problem title={text.agent.failed} failure={failure}>
          <Button icon="again" onClick={() => void agents.load()}>
            {text.agent.again}
          </Button>
        </Problem>
      )}
      {phase === "ready" && (
        <>
          <ModelChoice key={agent.agentId} agent={agent} />
          <ProviderKeys />
        </>
      )}
    </div>
  );
}
