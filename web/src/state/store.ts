/** State that changes by actions alone, for React's useSyncExternalStore. */
export class Store<State, Action> {
  private readonly listeners = new Set<() => void>();

  constructor(
    private current: State,
    private readonly reduce: (state: State, action: Action) => State,
  ) {}

  readonly get = (): State => this.current;

  readonly dispatch = (action: Action): void => {
    const next = this.reduce(this.current, action);
    if (next === this.current) return;
    this.current = next;
    for (const listener of [...this.listeners]) listener();
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}
