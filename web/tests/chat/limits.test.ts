import { expect, test } from "vitest";
import { lengthOf } from "../../src/chat/limits";

test("characters are counted as the server counts them", () => {
  expect(lengthOf("𝄞".repeat(10)).left).toBe(9_990);
  expect(lengthOf("x".repeat(10_000))).toMatchObject({ left: 0, fits: true, near: true });
  expect(lengthOf("x".repeat(10_001))).toMatchObject({ left: -1, fits: false });
});

test("a message within the characters may still have too many bytes", () => {
  expect(lengthOf("𝄞".repeat(7_000))).toMatchObject({ tooManyBytes: true, fits: false });
});
