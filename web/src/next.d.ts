import "./protocol";

// Shapes agreed upon for what the generated protocol names soon.
declare module "./protocol" {
  interface ChatReasoningChunk {
    toolCallId?: string;
  }
}
