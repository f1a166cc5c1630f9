import { failureOf, type Failure } from "../client/failure";
import type { Timeline } from "../protocol";
import type { Context } from "./context";

/** What a person thinks of answers, and what happened in them. */
export class Opinions {
  constructor(private readonly context: Context) {}

  /** Rate an answer, or the conversation without one; null takes it back. */
  async rate(of: Rated, rating: number | null, comment = ""): Promise<Failure | null> {
    const { conversationId, messageId } = of;
    try {
      const { feedback } = await this.context.client.request("giveFeedback", {
        conversationId,
        ...(messageId && { messageId }),
        rating,
        ...(comment.trim() && { comment: comment.trim() }),
      });
      if (messageId) this.context.toThread(conversationId, { type: "rated", messageId, feedback });
      else this.context.toList({ type: "rated", conversationId, feedback });
      return null;
    } catch (error) {
      const failure = failureOf(error);
      this.context.announce(`${failure.message} ${failure.hint}`);
      return failure;
    }
  }

  timeline(turnId: string): Promise<Timeline> {
    return this.context.client.request("turnTimeline", { turnId });
  }
}

export interface Rated {
  conversationId: string;
  messageId?: string | undefined;
}
