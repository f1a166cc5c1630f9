import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  FIRST_RETRY_MS,
  Link,
  LONGEST_RETRY_MS,
  PING_MS,
  PONG_MS,
  RENEW_LATEST_MS,
  RENEW_MS,
  type Credentials,
  type LinkState,
} from "../../src/client/link";
import { FakeSocket, openFake, settle } from "./fake-socket";

function aLink(options: { busy?: () => boolean; credentials?: () => Promise<Credentials> } = {}) {
  const states: LinkState[] = [];
  const frames: unknown[] = [];
  const link = new Link({
    credentials:
      options.credentials ?? (() => Promise.resolve({ url: "ws://here", token: "secret" })),
    onState: (state) => states.push(state),
    onFrame: (frame) => frames.push(frame),
    isBusy: options.busy ?? (() => false),
    openSocket: openFake,
    random: () => 1,
  });
  return { link, states, frames };
}

async function anOpenLink(options: Parameters<typeof aLink>[0] = {}) {
  const made = aLink(options);
  made.link.start();
  await settle();
  FakeSocket.last.open();
  return made;
}

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
});
afterEach(() => void vi.useRealTimers());

test("the token is offered as a subprotocol beside ours", async () => {
  const { states } = await anOpenLink();
  expect(FakeSocket.last.protocols).toEqual(["rolecall.v1", "secret"]);
  expect(states).toEqual(["connecting", "open"]);
});

test("a lost socket is opened anew, later each time", async () => {
  const { states } = await anOpenLink();
  for (let delay = FIRST_RETRY_MS; delay <= LONGEST_RETRY_MS * 2; delay *= 2) {
    const before = FakeSocket.all.length;
    FakeSocket.last.die();
    await vi.advanceTimersByTimeAsync(Math.min(delay, LONGEST_RETRY_MS) - 1);
    expect(FakeSocket.all).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(1);
    expect(FakeSocket.all).toHaveLength(before + 1);
  }
  FakeSocket.last.open();
  expect(states).toEqual(["connecting", "open", "lost", "open"]);
});

test("credentials that cannot be had are asked for again", async () => {
  const credentials = vi.fn(() => Promise.reject(new Error("no")));
  const { link } = aLink({ credentials });
  link.start();
  await vi.advanceTimersByTimeAsync(FIRST_RETRY_MS);
  expect(credentials).toHaveBeenCalledTimes(2);
});

test("a ping goes every four minutes, and a socket that does not answer is left", async () => {
  await anOpenLink();
  const first = FakeSocket.last;
  await vi.advanceTimersByTimeAsync(PING_MS);
  first.post({ type: "Pong", requestId: "ping" });
  await vi.advanceTimersByTimeAsync(PING_MS);
  expect(first.sent).toHaveLength(2);
  expect(first.closed).toBe(false);
  await vi.advanceTimersByTimeAsync(PONG_MS);
  expect(first.closed).toBe(true);
  expect(FakeSocket.all).toHaveLength(2);
});

test("a connection is renewed before its end, once nothing runs on it or when it must be", async () => {
  let busy = true;
  await anOpenLink({ busy: () => busy });
  const answer = setInterval(() => FakeSocket.last.post({ type: "Pong" }), 1_000);
  await vi.advanceTimersByTimeAsync(RENEW_MS + 60_000);
  expect(FakeSocket.all).toHaveLength(1);
  busy = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(FakeSocket.all).toHaveLength(2);
  FakeSocket.last.open();
  busy = true;
  await vi.advanceTimersByTimeAsync(RENEW_LATEST_MS + 10_000);
  expect(FakeSocket.all).toHaveLength(3);
  clearInterval(answer);
});

test("a frame that is not JSON is passed over", async () => {
  const { frames } = await anOpenLink();
  FakeSocket.last.post("{half");
  FakeSocket.last.post({ type: "Pong" });
  expect(frames).toEqual([{ type: "Pong" }]);
});

test("a stopped link hears and opens nothing more", async () => {
  const { link, states, frames } = await anOpenLink();
  const socket = FakeSocket.last;
  link.stop();
  socket.post({ type: "Pong" });
  socket.die();
  await vi.advanceTimersByTimeAsync(LONGEST_RETRY_MS);
  expect(FakeSocket.all).toHaveLength(1);
  expect(frames).toEqual([]);
  expect(states.at(-1)).toBe("closed");
});
