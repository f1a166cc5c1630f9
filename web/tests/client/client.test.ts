import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Client, type TurnHandlers } from "../../src/client/client";
import { CONNECTION_LOST, failureOf, NO_ANSWER } from "../../src/client/failure";
import { ANSWER_MS } from "../../src/client/requests";
import { FIRST_RETRY_MS } from "../../src/client/link";
import type { Frame, TurnEvent } from "../../src/protocol";
import { FakeSocket, openFake, settle } from "./fake-socket";

const chunk = (seq: number, delta = "x") => ({
  type: "ChatChunk",
  turnId: "turn",
  seq,
  delta,
  chunkIndex: seq - 1,
});
const busy = { type: "Error", code: "TURN_IN_PROGRESS", message: "Busy.", recoveryHint: "Wait." };
const message = { conversationId: "c", messageId: "m", content: "Hello" };

let pushed: Frame[];
let client: Client;

function handlers() {
  const heard: TurnEvent[] = [];
  const made = { event: (event: TurnEvent) => heard.push(event), refused: vi.fn(), lost: vi.fn() };
  return { heard, ...made } satisfies TurnHandlers & { heard: TurnEvent[] };
}

async function reconnect(): Promise<void> {
  FakeSocket.last.die();
  await vi.advanceTimersByTimeAsync(FIRST_RETRY_MS);
  FakeSocket.last.open();
}

beforeEach(async () => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  pushed = [];
  let count = 0;
  client = new Client({
    credentials: () => Promise.resolve({ url: "ws://here", token: "t" }),
    onState: () => undefined,
    onPush: (frame) => pushed.push(frame),
    openSocket: openFake,
    newId: () => `r${(count += 1)}`,
  });
  client.start();
  await settle();
  FakeSocket.last.open();
});
afterEach(() => {
  client.stop();
  vi.useRealTimers();
});

test("a reply settles its request, an error refuses it, whatever their order", async () => {
  const first = client.request("whoAmI", {});
  const second = client.request("listConversations", {}).catch(failureOf);
  FakeSocket.last.post({ ...busy, requestId: "r2" });
  FakeSocket.last.post({ type: "Reply", requestId: "r1", data: { mode: "recruiter" } });
  expect(await first).toEqual({ mode: "recruiter" });
  expect(await second).toEqual({ code: "TURN_IN_PROGRESS", message: "Busy.", hint: "Wait." });
});

test("a reply in parts is joined, whatever order they come in", async () => {
  const reply = client.request("whoAmI", {});
  const text = JSON.stringify({ type: "Reply", requestId: "r1", data: { mode: "job_seeker" } });
  const part = (index: number, from: number, to?: number) => ({
    type: "Part",
    partOf: "p",
    index,
    last: index === 2,
    text: text.slice(from, to),
  });
  for (const each of [part(2, 30), part(0, 0, 10), part(0, 0, 10), part(1, 10, 30)])
    FakeSocket.last.post(each);
  expect(await reply).toEqual({ mode: "job_seeker" });
});

test("events that overtake the reply are kept for their turn", async () => {
  const turn = handlers();
  const sent = client.chat(message, turn);
  FakeSocket.last.post(chunk(2));
  FakeSocket.last.post(chunk(1));
  FakeSocket.last.post({
    type: "Reply",
    requestId: "r1",
    data: { turnId: "turn", repeated: false },
  });
  expect(await sent).toBe("turn");
  expect(turn.heard.map((event) => event.seq)).toEqual([1, 2]);
});

test("an error that follows the reply of a message refuses it", async () => {
  const turn = handlers();
  const sent = client.chat(message, turn);
  FakeSocket.last.post({
    type: "Reply",
    requestId: "r1",
    data: { turnId: "turn", repeated: false },
  });
  await sent;
  FakeSocket.last.post({ ...busy, requestId: "r1" });
  expect(turn.refused).toHaveBeenCalledWith({
    code: "TURN_IN_PROGRESS",
    message: "Busy.",
    hint: "Wait.",
  });
  expect(client.isFollowing("turn")).toBe(false);
});

test("after a lost socket a turn is resumed from the last event that was heard", async () => {
  const turn = handlers();
  client.follow("turn", turn, { catchUp: false });
  FakeSocket.last.post(chunk(1));
  FakeSocket.last.post(chunk(2));
  await reconnect();
  expect(FakeSocket.last.requests).toMatchObject([
    { action: "resumeTurn", turnId: "turn", afterSeq: 2 },
  ]);
  for (const seq of [1, 2, 3]) FakeSocket.last.post(chunk(seq));
  expect(turn.heard.map((event) => event.seq)).toEqual([1, 2, 3]);
});

test("a request that may be repeated is sent again on a new socket, another is given up", async () => {
  const read = client.request("whoAmI", {});
  const made = client.request("createConversation", {}).catch(failureOf);
  await reconnect();
  expect(FakeSocket.last.requests).toMatchObject([{ action: "whoAmI", requestId: "r1" }]);
  expect(await made).toMatchObject({ code: CONNECTION_LOST });
  FakeSocket.last.post({ type: "Reply", requestId: "r1", data: {} });
  expect(await read).toEqual({});
});

test("a request that nobody answers fails", async () => {
  const asked = client.request("whoAmI", {}).catch(failureOf);
  await vi.advanceTimersByTimeAsync(ANSWER_MS);
  expect(await asked).toMatchObject({ code: NO_ANSWER });
});

test("a failure of the gateway itself fails the only request", async () => {
  const asked = client.request("whoAmI", {}).catch(failureOf);
  FakeSocket.last.post({ message: "Internal server error", connectionId: "c", requestId: "x" });
  expect(await asked).toMatchObject({ code: "UNKNOWN", message: "Internal server error" });
});

test("a turn that the server does not know is asked after for a while, then lost", async () => {
  const turn = handlers();
  client.follow("turn", turn);
  for (let tries = 1; tries <= 4; tries += 1) {
    expect(turn.lost).not.toHaveBeenCalled();
    const asked = FakeSocket.last.requests.at(-1);
    FakeSocket.last.post({
      ...busy,
      code: "CONVERSATION_NOT_FOUND",
      requestId: asked?.["requestId"],
    });
    await vi.advanceTimersByTimeAsync(2_000);
  }
  expect(turn.lost).toHaveBeenCalledOnce();
});

test("frames of no request and no turn are pushed", () => {
  FakeSocket.last.post({ type: "ConversationUpdated", conversationId: "c", status: "ACTIVE" });
  expect(pushed).toHaveLength(1);
});
