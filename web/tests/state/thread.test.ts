import { expect, test } from "vitest";
import { isUnkept, emptyList, listReducer, rowOf } from "../../src/state/list";
import { readyThread, threadReducer, type Thread, type ThreadAction } from "../../src/state/thread";
import type { ConversationSummary } from "../../src/protocol";

const after = (...actions: ThreadAction[]): Thread => actions.reduce(threadReducer, readyThread);
const sent = (messageId: string, replaces?: string): ThreadAction => ({
  type: "sent",
  messageId,
  text: messageId,
  at: "",
  replaces,
});
const failure = { code: "TURN_IN_PROGRESS", message: "Busy.", hint: "Wait." };
const ids = (thread: Thread) =>
  thread.items.map((item) => (item.kind === "user" ? item.id : `answer to ${item.key}`));

test("a message takes the place of an earlier one and of all that came after it", () => {
  expect(ids(after(sent("a"), sent("b"), sent("c"), sent("new", "b")))).toEqual([
    "a",
    "answer to a",
    "new",
    "answer to new",
  ]);
});

test("a replacement that is refused puts everything back, and the words into the editor", () => {
  const edit = { messageId: "b", text: "new", attachments: [], failure };
  const thread = after(sent("a"), sent("b"), sent("new", "b"), {
    type: "replacementRefused",
    messageId: "new",
    edit,
  });
  expect(ids(thread)).toEqual(["a", "answer to a", "b", "answer to b"]);
  expect(thread.edit).toEqual(edit);
  expect(threadReducer(thread, { type: "edit", edit: null }).edit).toBeUndefined();
});

test("an ordinary message that is refused leaves what was there", () => {
  const refusal = { failure, text: "b", messageId: "b" };
  expect(ids(after(sent("a"), sent("b"), { type: "refused", refusal }))).toEqual([
    "a",
    "answer to a",
  ]);
});

test("an opinion belongs to its answer, and can be taken back", () => {
  const rated = (rating: number | null): ThreadAction => ({
    type: "rated",
    messageId: "turn",
    feedback: rating ? { rating, comment: null } : null,
  });
  const accepted: ThreadAction = { type: "accepted", messageId: "a", turnId: "turn" };
  const thread = after(sent("a"), accepted, rated(5));
  expect(thread.items[1]).toMatchObject({ feedback: { rating: 5 } });
  expect(threadReducer(thread, rated(null)).items[1]).not.toHaveProperty("feedback");
});

test("a conversation that is not kept stays beside the list that does not have it", () => {
  const conversationId = "aaaaaaaa-0000-8000-8000-000000000001";
  const row = { conversationId, title: "Hush" } as ConversationSummary;
  expect(isUnkept(conversationId)).toBe(true);
  let list = listReducer(emptyList, { type: "added", row });
  list = listReducer(list, { type: "loaded", query: "", rows: [], next: null });
  expect(rowOf(list, conversationId)?.title).toBe("Hush");
  list = listReducer(list, { type: "removed", conversationId });
  expect(rowOf(list, conversationId)).toBeUndefined();
});
