import { createRequire, syncBuiltinESMExports } from "node:module";

/** Random numbers that depend only on a seed and a name. Each part of a history has a stream with its own name. */
export class Stream {
  private state: number;

  constructor(seed: number, name: string) {
    // FNV-1a over seed and name, so that similar seeds and names have unrelated streams.
    let hash = 0x811c9dc5;
    for (const char of `${seed}/${name}`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    this.state = hash;
    this.next();
  }

  /** Returns a number from 0 (included) to 1 (excluded), by the algorithm mulberry32. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 to `end` - 1. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** Returns a whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<const T>(from: readonly T[]): T {
    const found = from[this.below(from.length)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  }

  /**
   * Draws a duration in ms. All magnitudes are equally likely. For example, between a second and an hour, half of the durations
   * are below a minute.
   */
  lasting(least: number, most: number): number {
    return Math.round(least * (most / least) ** this.next());
  }

  /** Draws one of the keys by their weights. */
  weighted<Key extends string>(weights: Readonly<Partial<Record<Key, number>>>): Key {
    const entries = Object.entries(weights) as [Key, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    throw new Error("no weight is above 0");
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}

/** A random UUID (version 4). */
export function uuidOf(stream: Stream): string {
  const bytes = stream.bytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

let ofWorld = new Stream(0, "world");

/** Restarts the stream of the simulated world, which is everything outside of the processes. */
export function resetRandomness(seed: number): void {
  ofWorld = new Stream(seed, "world");
}

/**
 * Replaces Node's random functions. Call it before importing anything that uses them.
 *
 * @param ofOwner returns the stream of the running process; undefined outside of processes
 */
export function installRandomness(ofOwner: () => Stream | undefined): void {
  const current = () => ofOwner() ?? ofWorld;
  const crypto = createRequire(import.meta.url)("node:crypto") as Record<string, unknown>;
  const randomInt = (first: number, second?: number) =>
    second === undefined ? current().below(first) : first + current().below(second - first);
  const fill = <T extends NodeJS.ArrayBufferView>(array: T): T => {
    const { buffer, byteOffset, byteLength } = array;
    new Uint8Array(buffer, byteOffset, byteLength).set(current().bytes(byteLength));
    return array;
  };
  crypto.randomBytes = (length: number) => current().bytes(length);
  crypto.randomUUID = () => uuidOf(current());
  crypto.randomInt = randomInt;
  crypto.randomFillSync = fill;
  globalThis.crypto.getRandomValues = fill as typeof globalThis.crypto.getRandomValues;
  globalThis.crypto.randomUUID = () => uuidOf(current()) as `${string}-${string}-${string}-${string}-${string}`;
  Math.random = () => current().next();
  syncBuiltinESMExports();
}
