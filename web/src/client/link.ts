export const PING_MS = 4 * 60_000;
export const PONG_MS = 10_000;
/** From here on the connection is renewed as soon as nothing runs on it; it is closed for us at 2 hours. */
export const RENEW_MS = 110 * 60_000;
export const RENEW_LATEST_MS = 118 * 60_000;
export const FIRST_RETRY_MS = 500;
export const LONGEST_RETRY_MS = 15_000;
const STEADY_MS = 5_000;
const RENEW_TRY_MS = 5_000;

export type LinkState = "connecting" | "open" | "lost" | "closed";

export interface Credentials {
  url: string;
  token: string;
}

export interface LinkOptions {
  credentials: () => Promise<Credentials>;
  onState: (state: LinkState) => void;
  onFrame: (frame: unknown) => void;
  /** Whether something would be disturbed by a new connection. */
  isBusy: () => boolean;
  openSocket?: (url: string, protocols: string[]) => WebSocket;
  random?: () => number;
}

type Timer = ReturnType<typeof setTimeout> | undefined;

/** One socket after another: kept open by pings, renewed before its end, opened anew with backoff. */
export class Link {
  private socket: WebSocket | undefined;
  private state: LinkState = "closed";
  private attempt = 0;
  private epoch = 0;
  private openedAt = 0;
  private retry: Timer;
  private ping: Timer;
  private pong: Timer;
  private renewal: Timer;

  constructor(private readonly options: LinkOptions) {}

  get isOpen(): boolean {
    return this.state === "open";
  }

  start(): void {
    if (this.state === "closed") void this.connect("connecting");
  }

  stop(): void {
    this.drop();
    this.enter("closed");
  }

  /** Send a request; false: there is no open socket. */
  send(body: object): boolean {
    if (!this.socket || this.state !== "open") return false;
    this.socket.send(JSON.stringify(body));
    return true;
  }

  /** The network is back, or the page is seen again: do not wait for a timer. */
  wake(): void {
    if (this.state === "open") this.sendPing();
    else if (this.state === "lost") void this.connect("lost");
  }

  private async connect(state: LinkState): Promise<void> {
    this.drop();
    const epoch = this.epoch;
    this.enter(state);
    try {
      const { url, token } = await this.options.credentials();
      if (epoch !== this.epoch) return;
      const open = this.options.openSocket ?? ((to, protocols) => new WebSocket(to, protocols));
      this.listen(open(url, ["rolecall.v1", token]), epoch);
    } catch {
      if (epoch === this.epoch) this.lose();
    }
  }

  private listen(socket: WebSocket, epoch: number): void {
    this.socket = socket;
    const current = () => epoch === this.epoch;
    socket.onopen = () => {
      if (current()) this.opened();
    };
    socket.onclose = () => {
      if (current()) this.lose();
    };
    socket.onmessage = (message: MessageEvent<unknown>) => {
      if (current()) this.heard(message.data);
    };
  }

  private opened(): void {
    this.openedAt = Date.now();
    this.schedulePing();
    this.scheduleRenewal(RENEW_MS);
    this.enter("open");
  }

  private heard(data: unknown): void {
    clearTimeout(this.pong);
    this.pong = undefined;
    if (Date.now() - this.openedAt >= STEADY_MS) this.attempt = 0;
    let frame: unknown;
    try {
      frame = JSON.parse(String(data));
    } catch {
      return;
    }
    this.options.onFrame(frame);
  }

  private lose(): void {
    this.drop();
    this.enter("lost");
    const delay = Math.min(FIRST_RETRY_MS * 2 ** this.attempt, LONGEST_RETRY_MS);
    this.attempt += 1;
    const random = this.options.random ?? Math.random;
    this.retry = setTimeout(() => void this.connect("lost"), delay * (0.5 + random() / 2));
  }

  private schedulePing(): void {
    clearTimeout(this.ping);
    this.ping = setTimeout(() => this.sendPing(), PING_MS);
  }

  private sendPing(): void {
    this.schedulePing();
    if (this.pong || !this.send({ action: "ping", requestId: "ping" })) return;
    this.pong = setTimeout(() => void this.connect("lost"), PONG_MS);
  }

  private scheduleRenewal(delay: number): void {
    this.renewal = setTimeout(() => {
      const age = Date.now() - this.openedAt;
      if (this.options.isBusy() && age < RENEW_LATEST_MS) this.scheduleRenewal(RENEW_TRY_MS);
      else void this.connect("connecting");
    }, delay);
  }

  /** Leave the socket; whatever it still says is not heard. */
  private drop(): void {
    this.epoch += 1;
    for (const timer of [this.retry, this.ping, this.pong, this.renewal]) clearTimeout(timer);
    this.pong = undefined;
    const socket = this.socket;
    this.socket = undefined;
    socket?.close();
  }

  private enter(state: LinkState): void {
    if (state === this.state) return;
    this.state = state;
    this.options.onState(state);
  }
}
