import { use } from "react";
import { text } from "../messages";
import type { AgentSummary } from "../protocol";
import type { AppState } from "../state/app";
import { rowOf } from "../state/list";
import { modelName } from "../state/models";
import { ModelContext, useApp } from "./use";

/** The agent of a conversation; for a new one, the one that was chosen. */
export function agentOf(state: AppState, conversationId: string | null): AgentSummary | undefined {
  const { me, fresh, list } = state;
  const row = rowOf(list, conversationId);
  const id = conversationId ? row?.agentId : fresh.agentId;
  const find = (agentId: string | null | undefined) =>
    me?.agents.find((agent) => agent.agentId === agentId);
  return find(id) ?? find(me?.defaultAgentId);
}

export const useAgent = (conversationId: string | null): AgentSummary | undefined =>
  useApp((state) => agentOf(state, conversationId));

export const useAgentName = (conversationId: string | null): string =>
  useAgent(conversationId)?.name ?? text.thread.agentName;

/** The name of the model that answers for an agent. */
export function useModelName(agent: AgentSummary | undefined): string {
  const standard = use(ModelContext).name;
  const models = useApp((state) => state.models);
  return agent?.llmModel ? modelName(models, agent.llmModel) : standard;
}
