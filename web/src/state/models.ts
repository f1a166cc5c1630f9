import type { Failure } from "../client/failure";
import type { ModelKeys, ModelList } from "../protocol";

/** The models that agents may be given, and the keys of their providers. */
export interface Models {
  phase: "idle" | "loading" | "ready" | "failed";
  failure?: Failure;
  list: ModelList;
  keys: ModelKeys;
}

export type ModelsAction =
  | { type: "loading" }
  | { type: "loaded"; list: ModelList; keys: ModelKeys }
  | { type: "loadFailed"; failure: Failure };

export const emptyModels: Models = {
  phase: "idle",
  list: { models: [], providers: [], main: "", small: "" },
  keys: { credentials: [], mayChange: false },
};

export function modelsReducer(models: Models, action: ModelsAction): Models {
  switch (action.type) {
    case "loading":
      return models.phase === "ready" ? models : { ...models, phase: "loading" };
    case "loaded":
      return { phase: "ready", list: action.list, keys: action.keys };
    case "loadFailed":
      return { ...models, phase: "failed", failure: action.failure };
  }
}

/** The name of a model, as far as it is listed. */
export function modelName(models: Models, spec: string): string {
  return models.list.models.find((model) => model.spec === spec)?.name ?? spec;
}
