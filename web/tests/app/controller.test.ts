// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Controller } from "../../src/app/controller";
import { forgetAll, recallDraft, recallSent } from "../../src/app/memory";
import { NEW } from "../../src/state/app";
import { pendingOf } from "../../src/state/pending";
import type { Turn } from "../../src/state/turn";
import { FakeSocket, openFake, settle } from "../client/fake-socket";

const CONVERSATION = "aaaaaaaa-0000-4000-8000-000000000001";
let controller: Controller;

/** Answer the last request of an action. */
async function reply(action: string, data: object | string): Promise<void> {
  await settle();
  const asked = FakeSocket.last.requests.findLast((request) => request["action"] === action);
  if (!asked) throw new Error(`${action} was not asked`);
  const { requestId } = asked;
  const error = { type: "Error", requestId, code: data, message: "No.", recoveryHint: "Wait." };
  FakeSocket.last.post(typeof data === "string" ? error : { type: "Reply", requestId, data });
  await settle();
}

const event = (type: string, seq: number, more: object) =>
  FakeSocket.last.post({ type, turnId: "turn", seq, ...more });
const thread = () => controller.store.get().threads[CONVERSATION];
const turns = () => thread()?.items.filter((item): item is Turn => item.kind === "turn") ?? [];
const conversation = { conversationId: CONVERSATION, title: null, messageCount: 0 };

beforeEach(async () => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  forgetAll();
  location.hash = "#/";
  controller = new Controller(() => Promise.resolve({ url: "ws://x", token: "t" }), openFake);
  controller.start();
  await settle();
  FakeSocket.last.open();
  controller.show(null);
});
afterEach(() => {
  controller.stop();
  vi.useRealTimers();
});

async function send(content: string): Promise<string> {
  void controller.chat.send(null, content);
  await reply("createConversation", { conversation });
  const sent = FakeSocket.last.requests.findLast((request) => request["action"] === "agentChat");
  return String(sent?.["messageId"]);
}

test("the first message opens a conversation, and its answer streams into it", async () => {
  const messageId = await send("Hello");
  expect(location.hash).toBe(`#/c/${CONVERSATION}`);
  expect(recallSent(CONVERSATION)).toMatchObject({ messageId, content: "Hello" });
  await reply("agentChat", { turnId: "turn", messageId, repeated: false });
  event("ChatProcessing", 1, { status: "started", message: "" });
  event("ChatChunk", 2, { delta: "Hi", chunkIndex: 0 });
  expect(turns()).toMatchObject([{ status: "running", blocks: [{ text: "Hi" }] }]);
  event("ChatComplete", 3, { messageId: "turn", content: "Hi", sources: [] });
  expect(turns()).toMatchObject([{ status: "done" }]);
  expect(recallSent(CONVERSATION)).toBeNull();
  expect(controller.store.get().announcement.words).toContain("Hi");
});

test("a refused message goes back to where it was typed, before what was typed since", async () => {
  const messageId = await send("Hello");
  await reply("agentChat", { turnId: "turn", messageId, repeated: false });
  controller.chat.draft(CONVERSATION, "More");
  await reply("agentChat", "TURN_IN_PROGRESS");
  expect(thread()).toMatchObject({ items: [], refusal: { failure: { code: "TURN_IN_PROGRESS" } } });
  expect(controller.store.get().drafts[CONVERSATION]).toBe("Hello\n\nMore");
  expect(recallDraft(CONVERSATION)).toBe("Hello\n\nMore");
  expect(recallSent(CONVERSATION)).toBeNull();
});

test("where no conversation can be opened the text stays", async () => {
  void controller.chat.send(null, "Hello");
  await reply("createConversation", "AGENT_INACTIVE");
  expect(controller.store.get().drafts[NEW]).toBe("Hello");
  expect(controller.store.get().threads[NEW]?.items).toEqual([]);
});

test("a stale answer is read again from its rows", async () => {
  const messageId = await send("Hello");
  await reply("agentChat", { turnId: "turn", messageId, repeated: false });
  event("ChatSkipped", 1, {});
  event("ChatComplete", 2, { messageId: "turn", content: "Whole", sources: [] });
  const row = { status: "COMPLETED", createdAt: "" };
  const rows = [
    { ...row, messageId, role: "USER", content: "Hello" },
    { ...row, messageId: "turn", role: "ASSISTANT", content: "Whole", contentSegments: [] },
  ];
  await reply("conversationMessages", { messages: rows, next: null });
  expect(turns()).toMatchObject([{ status: "done", blocks: [{ text: "Whole" }] }]);
  expect(turns()[0]?.stale).toBeUndefined();
});

test("files come back with the words when they are at fault, and the one that is, is marked", async () => {
  const attachments = ["good.txt", "bad.txt"].map((filename) => ({
    key: `key of ${filename}`,
    filename,
    mimeType: "text/plain",
    sizeBytes: 3,
  }));
  controller.store.dispatch({
    on: "pending",
    id: NEW,
    action: { type: "restored", files: attachments.map(pendingOf) },
  });
  const messageId = await send("");
  const sent = FakeSocket.last.requests.at(-1);
  expect(sent?.["attachments"]).toEqual(
    attachments.map(({ key, filename, mimeType }) => ({ key, filename, mimeType })),
  );
  expect(controller.store.get().pending[CONVERSATION]?.files).toEqual([]);
  await reply("agentChat", { turnId: "turn", messageId, repeated: false });
  event("ChatError", 1, {
    code: "ATTACHMENT_FAILED",
    message: "“bad.txt” is gone.",
    recoveryHint: "Upload it again.",
    content: "",
  });
  expect(thread()).toMatchObject({ items: [], refusal: { failure: { hint: "Upload it again." } } });
  expect(controller.store.get().pending[CONVERSATION]?.files).toMatchObject([
    { filename: "good.txt", phase: "ready" },
    { filename: "bad.txt", phase: "failed" },
  ]);
});

test("an answer is asked for anew by a message that takes the question's place", async () => {
  const messageId = await send("Hello");
  await reply("agentChat", { turnId: "turn", messageId, repeated: false });
  event("ChatComplete", 1, { messageId: "turn", content: "", sources: [] });
  void controller.chat.again(CONVERSATION, messageId);
  await settle();
  const sent = FakeSocket.last.requests.at(-1);
  expect(sent).toMatchObject({ action: "agentChat", content: "Hello", replaces: messageId });
  expect(turns()).toMatchObject([{ key: sent?.["messageId"], status: "sending" }]);
  await reply("agentChat", "RATE_LIMITED");
  expect(turns()).toMatchObject([{ key: messageId, status: "done" }]);
  expect(thread()?.edit).toMatchObject({ messageId, failure: { code: "RATE_LIMITED" } });
});

test("a new title is shown without reading anything again", async () => {
  await send("Hello");
  const asked = FakeSocket.last.requests.length;
  const title = "Greetings";
  const type = "ConversationUpdated";
  FakeSocket.last.post({ type, conversationId: CONVERSATION, status: "ACTIVE", title });
  expect(controller.store.get().list.rows[0]?.title).toBe(title);
  expect(FakeSocket.last.requests.length).toBe(asked);
});

test("a conversation that was deleted elsewhere is left", async () => {
  await send("Hello");
  FakeSocket.last.post({
    type: "ConversationUpdated",
    conversationId: CONVERSATION,
    status: "DELETED",
  });
  expect(location.hash).toBe("#/");
  expect(thread()).toBeUndefined();
});
