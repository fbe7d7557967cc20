import { randomUUID } from "node:crypto";
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";
import { withDeadline } from "../basics/deadline.ts";
import type { Log } from "../basics/log.ts";
import { absent, type Storage, type TableShape } from "../storage/table.ts";
import { createTerm, keptMs, type Moment } from "./lease-term.ts";

/** One process polls on one storage: two of them, started by mistake, would both send. */
export interface Lease {
  /**
   * Number of the present term of holding it (1, 2, …: it counts up each time it is gained anew); undefined while it is
   * not held. Cheap: to be looked at before every effect.
   */
  term(): number | undefined;
  /** Whether another process holds it, and this one waits for its end. */
  standsBy(): boolean;
  /** Aborted the moment the term is found to be over; each term has a fresh one. What is sent under it may not go out later. */
  signal(): AbortSignal;
  /** Takes the lease if nobody else holds it, and keeps trying and renewing until it ends. Never rejects. */
  begin(): Promise<void>;
  /**
   * Renews it no more. Released, another process can go on at once; otherwise when the 15 s are over. Throws
   * `StorageError` when it cannot be released.
   */
  end(how: { release: boolean }): Promise<void>;
  /** Says to the process that holds it that records of servers were changed here; nothing where that is this one. Throws `StorageError`. */
  changed(): Promise<void>;
}

/**
 * Who polls, as it stands in storage. The times of another machine's clock prove nothing: whoever changes its record is
 * alive. Version 0.1.0 has no `beat`, changes `at` instead, and reads `at` of others.
 */
const holderSchema = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.number(),
  /** Among which processes the pid counts, where the system says so: containers may share a host name. */
  pids: z.string().optional(),
  beat: z.number().optional(),
  at: z.number().optional(),
});

/** The record of the process that polls. */
export type LeaseHolder = z.infer<typeof holderSchema>;

/** That a process which does not poll changed records. */
const changeSchema = z.object({ mark: z.string() });
/** What is malformed, as a text: whoever changes it is alive all the same. */
const strangeSchema = z.object({ strange: z.string() });
const recordSchema = z.union([holderSchema, changeSchema, strangeSchema]);

export type LeaseRecord = z.infer<typeof recordSchema>;

/** Its version stays: processes of several versions read it at the same time. */
export const leaseTable: TableShape<LeaseRecord> = {
  name: "lease",
  schema: recordSchema.catch(({ value }) => ({ strange: JSON.stringify(value) })),
  version: 1,
  impersonal: true,
};

export const holderOf = (record: LeaseRecord | undefined) => (record && "pid" in record ? record : undefined);

export const holderKey = "polls";
const changesKey = "changes";
const renewEveryMs = 5_000;
/** A living holder has renewed within this time: the 5 s, and one for the storage. */
const aliveMs = renewEveryMs + 1_000;
/** A storage that has not answered a renewal by then will not take a release in time either. */
const endMs = 500;
const lookEveryMs = 500;

/** By the clock that tests can set, unlike `node:timers/promises`. */
const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Which processes this one can see; undefined where there are no such namespaces, or none that may be read. */
function pidNamespace(): string | undefined {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

const thisProcess = (self: LeaseDeps["self"] = { host: hostname(), pid: process.pid, pids: pidNamespace() }) => ({
  id: randomUUID(),
  ...self,
});

/** Tells how long the record of another process has to be believed. */
export function createSight(me: LeaseHolder, monotonic: () => number) {
  let last: { readonly text: string; readonly at: number } | undefined;

  /** Milliseconds for which the record, read at `readAt` (monotonic), still keeps this process from claiming the lease. */
  return function believed(record: LeaseRecord | undefined, readAt: number): number {
    const holder = holderOf(record);
    if (record === undefined || holder?.id === me.id) return 0;
    const text = JSON.stringify(record);
    if (text !== last?.text) last = { text, at: monotonic() };
    const isHere = holder?.host === me.host;
    const isSeen = isHere && holder.pid !== me.pid && (holder.pids === undefined || holder.pids === me.pids);
    if (isSeen && !isRunning(holder.pid)) return 0;
    // A container that was restarted has its host name and its pid again; but so may another container, which lives.
    const patienceMs = isHere && !isSeen ? aliveMs : keptMs;
    return Math.max(patienceMs - (readAt - last.at), 0);
  };
}

/** Runs `work` again and again, each time after as many milliseconds as it resolved to; never two at once. */
export function createLoop(work: () => Promise<number>) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isOver = false;

  function run(): Promise<void> {
    clearTimeout(timer);
    running ??= work().then((nextInMs) => {
      running = undefined;
      if (!isOver) timer = setTimeout(() => void run(), nextInMs);
    });
    return running;
  }

  return {
    /** At once, where it does not run already. */
    run,
    /** Whether nothing is under way any more; resolves after `withinMs` at the latest. */
    async end(withinMs: number): Promise<boolean> {
      isOver = true;
      clearTimeout(timer);
      const ended = Promise.resolve(running).then(() => true);
      return withDeadline(ended, withinMs, false);
    },
  };
}

/**
 * Whether another process polls on this storage. It takes up to 15 s to see that one of another machine does not, or one
 * that was killed; the record is not touched. Throws `StorageError`.
 */
export async function isPolled(storage: Pick<Storage, "table">, monotonic = () => performance.now()): Promise<boolean> {
  const table = storage.table(leaseTable);
  const believed = createSight(thisProcess(), monotonic);
  let first: string | undefined;
  for (;;) {
    const readAt = monotonic();
    const record = await table.get(holderKey);
    const text = JSON.stringify(record);
    first ??= text;
    const believedMs = believed(record, readAt);
    if (believedMs === 0) return false;
    // Whoever renews it is alive.
    if (text !== first) return true;
    await delay(Math.min(believedMs, lookEveryMs));
  }
}

/** What a lease needs of a storage. */
export type LeaseStorage = Pick<Storage, "table" | "commit">;

export interface LeaseDeps {
  readonly storage: LeaseStorage;
  readonly log: Log;
  /** Awaited before each term: where it throws, none begins, and it is tried again. */
  beforeTerm?(): Promise<void>;
  /** A term begins: what was remembered of the records may be stale, and a round of polls is due. */
  onTerm(): void;
  /** Another process changed records. */
  onChanged(): void;
  /** Wall clock, epoch ms. */
  readonly now?: () => number;
  /** Milliseconds. */
  readonly monotonic?: () => number;
  /** Where this process runs. */
  readonly self?: { readonly host: string; readonly pid: number; readonly pids?: string };
}

/** What follows from what a renewal found, and who is told. `change` is the mark of the last change that another process made. */
function createTurnover(deps: Pick<LeaseDeps, "log" | "onTerm" | "onChanged">, term: ReturnType<typeof createTerm>) {
  const { log } = deps;
  let knownChange: string | undefined;
  let isWarned = false;

  return {
    standsBy: () => isWarned,
    /** Another process holds the lease. */
    standBy(other: LeaseRecord | undefined) {
      term.end();
      if (isWarned) return;
      isWarned = true;
      const holder = holderOf(other);
      log.warn(
        { host: holder?.host, pid: holder?.pid },
        "another process polls on this storage already: this one sends no alerts until that one ends",
      );
    },
    /** This process held the lease, and holds it on. */
    goOn(begun: Moment, change: string | undefined) {
      term.renew(begun);
      if (change !== knownChange) deps.onChanged();
      knownChange = change;
    },
    /** This process has gained the lease. */
    begin(begun: Moment, change: string | undefined) {
      term.renew(begun);
      // It took longer than the lease lasts: the next attempt is a prompt one.
      if (term.isOver()) return;
      knownChange = change;
      term.begin();
      if (isWarned || term.number > 1) log.info({}, "this process sends the alerts from now on");
      isWarned = false;
      deps.onTerm();
    },
  };
}

/**
 * A lease of 15 s in storage, renewed every 5 s. It makes a second process stand by; what keeps an alert from being
 * doubled in the moment of a change are the ledger and the nonce.
 *
 * It is held while both clocks say so: the monotonic clock stands still while a machine sleeps, the wall clock may be set.
 */
export function createLease(deps: LeaseDeps, me: LeaseHolder = thisProcess(deps.self)): Lease {
  const { storage, log, now = Date.now, monotonic = () => performance.now() } = deps;
  const table = storage.table(leaseTable);
  const ending = new AbortController();
  const term = createTerm({ now, monotonic });
  const believed = createSight(me, monotonic);
  const turnover = createTurnover(deps, term);
  /** Of the last renewal that was tried, and of the last one that is known to stand. */
  let [tried, written] = [0, 0];

  const isMine = (record: LeaseRecord | undefined) => holderOf(record)?.id === me.id;
  /** False also where the storage has lost what was written, or is a restored one. */
  const isLatest = (record: LeaseRecord | undefined) => isMine(record) && (holderOf(record)?.beat ?? 0) >= written;

  /** Renews the lease, or takes it. Resolves to the milliseconds after which to look again. */
  async function renew(): Promise<number> {
    const readAt = monotonic();
    const [present = absent(holderKey), change] = await table.read([holderKey, changesKey]);
    if (ending.signal.aborted) return renewEveryMs;
    const believedMs = believed(present.value, readAt);
    if (believedMs > 0) {
      turnover.standBy(present.value);
      return Math.min(believedMs, renewEveryMs);
    }
    if (!isLatest(present.value)) term.end();
    const wasHeld = look() !== undefined;
    const begun = term.now();
    const beat = ++tried;
    // Where another process was faster, its record is looked at next.
    if (!(await storage.commit([table.put(present, { ...me, beat, at: begun.wall })]))) return lookEveryMs;
    written = beat;
    const mark = JSON.stringify(change?.value);
    if (wasHeld && look() !== undefined) {
      turnover.goOn(begun, mark);
    } else {
      await deps.beforeTerm?.();
      if (!ending.signal.aborted) turnover.begin(begun, mark);
    }
    return Math.max(renewEveryMs - (monotonic() - readAt), 0);
  }

  const attempts = createLoop(() =>
    renew().catch((error: unknown) => {
      log.warn({ err: error }, "could not renew the right to poll; trying again");
      return renewEveryMs;
    }),
  );

  function look(): number | undefined {
    if (!term.isHeld) return undefined;
    if (!term.isOver()) return term.number;
    term.end();
    log.warn({}, "the right to poll ran out: suspended, or no answer from the storage, or the clock was set");
    void attempts.run();
    return undefined;
  }

  return {
    term: look,
    standsBy: turnover.standsBy,
    signal() {
      look();
      return term.signal;
    },
    begin: attempts.run,
    async end({ release }) {
      ending.abort();
      // A renewal that is still under way could write again what is deleted here.
      const isQuiet = await attempts.end(endMs);
      const mayRelease = release && isQuiet && term.isHeld && !term.isOver();
      term.end();
      if (!mayRelease) return;
      const [present = absent(holderKey)] = await table.read([holderKey]);
      if (isMine(present.value)) await storage.commit([table.remove(present)]);
    },
    async changed() {
      if (look() === undefined) await table.set(changesKey, { mark: randomUUID() });
    },
  };
}

const nothing = () => undefined;

/**
 * Holds and renews the lease for a program that is no bot, so that none polls meanwhile. It takes up to 15 s to see that
 * nobody of another machine holds it. Undefined where a bot works with the storage. Throws `StorageError`.
 */
export async function holdLease(storage: LeaseStorage): Promise<Lease | undefined> {
  const table = storage.table(leaseTable);
  const me = thisProcess();
  let failure: unknown;
  const warn = (fields: object) => {
    failure ??= "err" in fields ? fields.err : undefined;
  };
  const log = { debug: nothing, info: nothing, warn, error: nothing };
  const lease = createLease({ storage, log, onTerm: nothing, onChanged: nothing }, me);
  let other: string | undefined;
  try {
    await lease.begin();
    while (lease.term() === undefined) {
      // Somebody waits: what fails is not tried again and again.
      if (failure !== undefined) throw failure;
      const record = await table.get(holderKey);
      if (record !== undefined && holderOf(record)?.id !== me.id) {
        const text = JSON.stringify(record);
        other ??= text;
        // Whoever renews it is alive.
        if (text !== other) {
          await lease.end({ release: false });
          return undefined;
        }
      }
      await delay(lookEveryMs);
    }
    return lease;
  } catch (error) {
    await lease.end({ release: false });
    throw error;
  }
}
