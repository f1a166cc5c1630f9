import { LIMITS } from "../protocol";

const NEAR = 1_000;

export interface Length {
  /** Characters (code points) that may still be typed; negative: too many. */
  left: number;
  /** Whether it is worth telling. */
  near: boolean;
  tooManyBytes: boolean;
  fits: boolean;
}

const encoder = new TextEncoder();

/** How a message stands to the limits of the protocol. */
export function lengthOf(message: string): Length {
  const left = LIMITS.MESSAGE_CHARACTERS - Array.from(message).length;
  const tooManyBytes = encoder.encode(message).length > LIMITS.MESSAGE_TEXT_BYTES;
  return { left, near: left <= NEAR, tooManyBytes, fits: left >= 0 && !tooManyBytes };
}
