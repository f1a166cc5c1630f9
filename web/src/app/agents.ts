import { failureOf, type Failure } from "../client/failure";
import type { StoredModelKey } from "../protocol";
import type { Context } from "./context";

/** Which model an agent uses, and the keys of the models' providers. */
export class Agents {
  constructor(private readonly context: Context) {}

  async load(): Promise<void> {
    const tell = this.context.store.dispatch;
    tell({ on: "models", action: { type: "loading" } });
    try {
      const [list, keys] = await Promise.all([
        this.context.client.request("listModels", {}),
        this.context.client.request("listModelCredentials", {}),
      ]);
      tell({ on: "models", action: { type: "loaded", list, keys } });
    } catch (error) {
      tell({ on: "models", action: { type: "loadFailed", failure: failureOf(error) } });
    }
  }

  /** Give an agent a model; null: the standard one. */
  async useModel(agentId: string, llmModel: string | null): Promise<Failure | null> {
    try {
      const { agent } = await this.context.client.request("updateAgent", { agentId, llmModel });
      this.context.store.dispatch({ on: "agentModel", agentId, llmModel: agent.llmModel });
      return null;
    } catch (error) {
      return failureOf(error);
    }
  }

  /** Keep a provider's key, once the provider was asked about it. */
  async keep(key: NewKey): Promise<StoredModelKey["checked"] | Failure> {
    const { provider, apiKey, baseUrl } = key;
    try {
      const { checked } = await this.context.client.request("setModelCredential", {
        provider,
        ...(apiKey && { apiKey }),
        ...(baseUrl && { baseUrl }),
        check: true,
      });
      await this.load();
      return checked;
    } catch (error) {
      return failureOf(error);
    }
  }

  async forget(provider: string): Promise<Failure | null> {
    try {
      await this.context.client.request("deleteModelCredential", { provider });
      await this.load();
      return null;
    } catch (error) {
      return failureOf(error);
    }
  }
}

export interface NewKey {
  provider: string;
  apiKey: string;
  baseUrl: string;
}
