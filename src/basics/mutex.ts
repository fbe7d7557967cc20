/** Work done one piece at a time. */
export interface Mutex {
  /** Runs `work` when all that came before it has ended. A rejection reaches its own caller and holds up nobody else. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** The same, ahead of all that waits but what came this way before: somebody waits for it. */
  runSoon<T>(work: () => Promise<T>): Promise<T>;
  /** Somebody waits: long work under way is to make way. */
  isAwaited(): boolean;
  /** Resolves when nothing is under way and nothing waits. */
  idle(): Promise<void>;
}

/** In memory. A class: there are four for each server that is polled. */
class InMemoryMutex implements Mutex {
  private readonly soon: (() => Promise<void>)[] = [];
  private readonly later: (() => Promise<void>)[] = [];
  private running: Promise<void> | undefined;
  private isRunning = false;

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.add(this.later, work);
  }

  runSoon<T>(work: () => Promise<T>): Promise<T> {
    return this.add(this.soon, work);
  }

  isAwaited(): boolean {
    return this.soon.length > 0;
  }

  async idle(): Promise<void> {
    while (this.running) await this.running;
  }

  private async runAll() {
    const { soon, later } = this;
    this.isRunning = true;
    for (let next = soon.shift() ?? later.shift(); next; next = soon.shift() ?? later.shift()) await next();
    this.isRunning = false;
    this.running = undefined;
  }

  private add<T>(line: (() => Promise<void>)[], work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    line.push(() => Promise.try(work).then(resolve, reject));
    if (!this.isRunning) this.running = this.runAll();
    return promise;
  }
}

export const createMutex = (): Mutex => new InMemoryMutex();

/**
 * A {@link Mutex} for each key, for as long as anything waits in it: runs work one at a time for each key, in the order
 * asked for.
 */
export function createKeyedMutex(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const lines = new Map<string, { readonly queue: Mutex; pending: number }>();
  return async (key, work) => {
    const line = lines.get(key) ?? { queue: createMutex(), pending: 0 };
    lines.set(key, line);
    line.pending++;
    try {
      return await line.queue.run(work);
    } finally {
      line.pending--;
      if (line.pending === 0) lines.delete(key);
    }
  };
}
