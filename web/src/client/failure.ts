/** Why something did not work, and what a person can do about it. */
export interface Failure {
  code: string;
  message: string;
  hint: string;
}

/** A request that was refused, lost or not answered. */
export class RequestFailed extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

/** Codes of the client itself, beside those of the protocol. */
export const CONNECTION_LOST = "CONNECTION_LOST";
export const NO_ANSWER = "NO_ANSWER";

/** Read any thrown value as a failure. */
export function failureOf(error: unknown): Failure {
  if (error instanceof RequestFailed) return error.failure;
  const message = error instanceof Error ? error.message : String(error);
  return { code: "UNKNOWN", message, hint: "" };
}
