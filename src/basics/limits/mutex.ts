/**
 * Runs one piece of work at a time. It is a class, because objects of a class share their methods, and each polled server has
 * three mutexes.
 */
export class Mutex {
  private readonly first: (() => Promise<void>)[] = [];
  private readonly waiting: (() => Promise<void>)[] = [];
  private running: Promise<void> | undefined;
  private isRunning = false;

  /** Runs `work` when all earlier work has ended, even if earlier work failed. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.add(this.waiting, work);
  }

  /** Runs `work` before all waiting work that {@link Mutex.run} added. */
  runSoon<T>(work: () => Promise<T>): Promise<T> {
    return this.add(this.first, work);
  }

  /** Resolves when no work runs or waits. */
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

/** Runs work one piece at a time for each key, in the order of the calls. A key is remembered only while it has work. */
export function createKeyedMutex(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const mutexes = new Map<string, { readonly mutex: Mutex; pending: number }>();
  return async (key, work) => {
    const entry = mutexes.get(key) ?? { mutex: new Mutex(), pending: 0 };
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
