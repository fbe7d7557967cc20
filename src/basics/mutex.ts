/** Runs work one piece at a time. In memory. A class, because there are five for each server that is polled. */
export class Mutex {
  private readonly first: (() => Promise<void>)[] = [];
  private readonly waiting: (() => Promise<void>)[] = [];
  private running: Promise<void> | undefined;
  private isRunning = false;

  /** Runs `work` when all that came before it has ended. A rejection reaches its own caller and holds up no other. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.add(this.waiting, work);
  }

  /** The same, before all that waits but what came by this method earlier. */
  runSoon<T>(work: () => Promise<T>): Promise<T> {
    return this.add(this.first, work);
  }

  /** Resolves when nothing is under way and nothing waits. */
  async idle(): Promise<void> {
    while (this.running) await this.running;
  }

  private async runAll() {
    this.isRunning = true;
    for (let next = this.next(); next; next = this.next()) await next();
    this.isRunning = false;
    this.running = undefined;
  }

  private next() {
    return this.first.shift() ?? this.waiting.shift();
  }

  private add<T>(queue: (() => Promise<void>)[], work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    queue.push(() => Promise.try(work).then(resolve, reject));
    if (!this.isRunning) this.running = this.runAll();
    return promise;
  }
}

export const createMutex = () => new Mutex();

/** Runs work one piece at a time for each key, in the order asked for. Only keys with work are kept. */
export function createKeyedMutex(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const mutexes = new Map<string, { readonly mutex: Mutex; pending: number }>();
  return async (key, work) => {
    const entry = mutexes.get(key) ?? { mutex: createMutex(), pending: 0 };
    mutexes.set(key, entry);
    entry.pending++;
    try {
      return await entry.mutex.run(work);
    } finally {
      entry.pending--;
      if (entry.pending === 0) mutexes.delete(key);
    }
  };
}
