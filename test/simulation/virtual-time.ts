import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire, syncBuiltinESMExports } from "node:module";
import type { Stream } from "./randomness.ts";

/** The process of the bot to which an event belongs. Events without an owner belong to the simulated world. */
export interface Owner {
  /** Number of the process in its history, from 1. */
  readonly number: number;
  /** True after the end of the process. Its events no longer happen. */
  isDead: boolean;
  /** When the process started: milliseconds since the start of the history, and time of day of the machine (epoch ms). */
  readonly startedAt: number;
  readonly startedOn: number;
  /** The process is suspended (SIGSTOP) until this moment. Events that are due earlier happen at this moment. */
  stoppedUntil: number;
  readonly random: Stream;
  /** Called with an error that nobody caught. */
  uncaught(error: unknown): void;
}

interface Event {
  at: number;
  order: number;
  run: (() => void) | undefined;
  readonly owner: Owner | undefined;
}

const real = { setImmediate, performance: performance.now.bind(performance), Date };
const owners = new AsyncLocalStorage<Owner | undefined>();

let now = 0;
let order = 0;
let startsAt = 0;
let wallOffset = 0;
let heap: Event[] = [];
let immediates: Event[] = [];
let nextImmediate = 0;
let lastOwner: Owner | undefined;
/** Number of events since the last `resetTime`. */
let happened = 0;
/** Called before each event with its number. */
let onEvent: ((count: number) => void) | undefined;

/** Milliseconds since the start of the history, on a clock that never jumps. */
export const time = (): number => now;
/** Time of day in the world outside of the machine, in epoch ms. */
export const wallTime = (): number => startsAt + now;
/** Time of day of the machine, in epoch ms. */
export const machineTime = (): number => wallTime() + wallOffset;
export const events = (): number => happened;
/** Real time in ms, for durations. */
export const realNow = (): number => real.performance();
export const currentOwner = (): Owner | undefined => owners.getStore();

/** Starts a new history at this time of day. `watch` is called before each event with its number. */
export function resetTime(epochMs: number, watch?: (count: number) => void): void {
  [now, order, happened, wallOffset, startsAt] = [0, 0, 0, 0, epochMs];
  [heap, immediates, nextImmediate, lastOwner] = [[], [], 0, undefined];
  onEvent = watch;
}

/** Sets how far the machine's time of day is ahead of the world's, in ms. */
export function setWallOffset(ms: number): void {
  wallOffset = ms;
}

const isBefore = (one: Event, other: Event) => one.at < other.at || (one.at === other.at && one.order < other.order);

function push(event: Event): void {
  let index = heap.length;
  heap.push(event);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] as Event;
    if (!isBefore(event, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = event;
}

function pop(): void {
  const last = heap.pop() as Event;
  const length = heap.length;
  if (length === 0) return;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= length) break;
    if (child + 1 < length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child += 1;
    if (!isBefore(heap[child] as Event, last)) break;
    heap[index] = heap[child] as Event;
    index = child;
  }
  heap[index] = last;
}

/** Runs `run` for `owner` after `ms` of virtual time. */
export function after(ms: number, run: () => void, owner: Owner | undefined = undefined): { cancel(): void } {
  const event: Event = { at: now + Math.max(ms, 0), order: order++, run, owner };
  push(event);
  return {
    cancel() {
      event.run = undefined;
    },
  };
}

/** Resolves after `ms` of virtual time. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => void after(ms, resolve));

/** Runs `work` for this owner. Everything that `work` starts belongs to the owner, and ends with it. */
export const as = <T>(owner: Owner | undefined, work: () => T): T => owners.run(owner, work);

/** Takes the next event that is due by `until`. Undefined if there is none. */
function take(until: number): Event | undefined {
  while (nextImmediate < immediates.length) {
    const event = immediates[nextImmediate] as Event;
    nextImmediate += 1;
    if (nextImmediate === immediates.length) [immediates, nextImmediate] = [[], 0];
    if (event.run === undefined || event.owner?.isDead) continue;
    if (event.owner !== undefined && event.owner.stoppedUntil > now) push({ ...event, at: event.owner.stoppedUntil });
    else return event;
  }
  for (let event = heap[0]; event !== undefined && event.at <= until; event = heap[0]) {
    pop();
    if (event.run === undefined || event.owner?.isDead) continue;
    now = Math.max(now, event.at);
    const stoppedUntil = event.owner?.stoppedUntil ?? 0;
    if (stoppedUntil <= now) return event;
    event.at = stoppedUntil;
    push(event);
  }
  return undefined;
}

function happen({ run, owner }: Event): void {
  happened += 1;
  onEvent?.(happened);
  if (owner?.isDead || run === undefined) return;
  lastOwner = owner;
  try {
    owners.run(owner, run);
  } catch (error) {
    if (owner === undefined) throw error;
    owner.uncaught(error);
  }
}

/** Number of events between two turns of the real event loop. Promises are continued after each event. */
const eventsPerTurn = 32;

/** Runs all events that are due by `until`, one after another. The promises of an event are continued before the next event. */
export function runUntil(until: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const step = () => {
      if (isOver) return;
      const event = take(until);
      try {
        if (event !== undefined) return happen(event);
      } catch (error) {
        isOver = true;
        return reject(error);
      }
      isOver = true;
      now = Math.max(now, until);
      resolve();
    };
    const turn = () => {
      if (isOver) return;
      for (let index = 0; index < eventsPerTurn; index++) real.setImmediate(step);
      real.setImmediate(turn);
    };
    turn();
  });
}

/** Gives Node turns of the real event loop to load imports. No virtual time passes. */
export async function realTurns(count: number): Promise<void> {
  for (let index = 0; index < count; index++) await new Promise<void>((resolve) => void real.setImmediate(resolve));
}

const longestTimerMs = 2 ** 31 - 1;
const msOf = (ms: unknown) => {
  const wanted = Math.trunc(Number(ms));
  return wanted >= 1 && wanted <= longestTimerMs ? wanted : 1;
};

/** Like Node's `Timeout`. */
class Timer {
  private event: Event;
  private readonly ms: number;
  private readonly every: boolean;
  private readonly work: () => void;

  constructor(work: () => void, ms: number, every: boolean) {
    this.ms = ms;
    this.every = every;
    this.work = work;
    this.event = this.armed(currentOwner());
  }

  private armed(owner: Owner | undefined): Event {
    const event: Event = { at: now + this.ms, order: order++, run: () => this.ring(), owner };
    push(event);
    return event;
  }

  private ring(): void {
    if (this.every) this.event = this.armed(this.event.owner);
    else this.event.run = undefined;
    this.work();
  }

  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  refresh(): this {
    const { owner } = this.event;
    this.event.run = undefined;
    this.event = this.armed(owner);
    return this;
  }
  close(): this {
    this.event.run = undefined;
    return this;
  }
  [Symbol.dispose](): void {
    this.close();
  }
  [Symbol.toPrimitive](): number {
    return this.event.order;
  }
}

type Work = (...values: unknown[]) => void;

const setVirtualTimeout = (work: Work, ms?: number, ...values: unknown[]) =>
  new Timer(values.length === 0 ? work : () => work(...values), msOf(ms), false);
const setVirtualInterval = (work: Work, ms?: number, ...values: unknown[]) =>
  new Timer(() => work(...values), msOf(ms), true);
const clearTimer = (timer: unknown) => {
  if (timer instanceof Timer) timer.close();
};

function setVirtualImmediate(work: Work, ...values: unknown[]): object {
  const event: Event = { at: now, order: order++, run: () => work(...values), owner: currentOwner() };
  immediates.push(event);
  return Object.assign(event, { ref: () => event, unref: () => event, hasRef: () => true });
}

const clearVirtualImmediate = (immediate: unknown) => {
  if (typeof immediate === "object" && immediate !== null) (immediate as Event).run = undefined;
};

function waiting<T>(value: T, signal: AbortSignal | undefined, begin: (done: () => void) => () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const refuse = () =>
      reject(Object.assign(new Error("The operation was aborted"), { name: "AbortError", code: "ABORT_ERR" }));
    if (signal?.aborted) return refuse();
    const onAbort = () => {
      stop();
      refuse();
    };
    const stop = begin(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve(value);
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

interface WaitOptions {
  readonly signal?: AbortSignal;
}

const promises = {
  setTimeout: <T>(ms?: number, value?: T, options: WaitOptions = {}) =>
    waiting(value, options.signal, (done) => {
      const timer = setVirtualTimeout(done, ms);
      return () => timer.close();
    }),
  setImmediate: <T>(value?: T, options: WaitOptions = {}) =>
    waiting(value, options.signal, (done) => {
      const immediate = setVirtualImmediate(done);
      return () => clearVirtualImmediate(immediate);
    }),
};

/** Time of day for the running code: the machine's for a process, otherwise the world's. */
const wallNow = () => Math.floor(currentOwner() === undefined ? wallTime() : machineTime());

class VirtualDate extends Date {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(wallNow());
    else super(...(given as [number]));
  }
  static override now(): number {
    return wallNow();
  }
}

/** Replaces Node's clocks and timers. Call it before importing anything that uses them. */
export function installTime(): void {
  const load = createRequire(import.meta.url);
  const both = {
    setTimeout: setVirtualTimeout,
    setInterval: setVirtualInterval,
    setImmediate: setVirtualImmediate,
    clearTimeout: clearTimer,
    clearInterval: clearTimer,
    clearImmediate: clearVirtualImmediate,
  };
  Object.assign(globalThis, both);
  Object.assign(load("node:timers"), both);
  Object.assign(load("node:timers/promises"), promises);
  globalThis.Date = VirtualDate as DateConstructor;
  performance.now = () => now - (currentOwner()?.startedAt ?? 0);
  Object.defineProperty(performance, "timeOrigin", { get: () => currentOwner()?.startedOn ?? startsAt });
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    setVirtualTimeout(() => controller.abort(new DOMException("The operation timed out", "TimeoutError")), ms);
    return controller.signal;
  };
  syncBuiltinESMExports();
  process.on("unhandledRejection", (error) => {
    if (lastOwner === undefined) throw error;
    lastOwner.uncaught(error);
  });
}
