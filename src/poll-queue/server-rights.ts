import { hash, randomInt } from "node:crypto";
import { z } from "zod";
import type { Log } from "../basics/log.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import type { Health } from "../polling/poll-failures.ts";
import type { Right } from "../polling/right.ts";
import type { SharedServer } from "../polling/shared-server.ts";
import { everyone, type Memory, type Notes, type SlotNotes } from "./notes.ts";
import type { SlotHold } from "./slot-hold.ts";
import { slotOf } from "./slots.ts";

/**
 * A step of a version: two processes that count from nothing again do not come to the same number. Numbers are exact up to
 * 2^53: a billion writes of one server, 48 years at 10,000 orders a day with 6 writes each.
 */
const largestStep = 2 ** 24;
const newStep = () => randomInt(1, largestStep);
const over = AbortSignal.abort(new ConflictError());

/** What another version may have called otherwise is a fault that this one has no sentence for. */
const troubleSchema = z
  .enum([
    "unauthorized",
    "not_found",
    "invalid",
    "rate_limited",
    "unavailable",
    "timeout",
    "malformed",
    "too_large",
    "ambiguous",
    "channel_gone",
    "forbidden",
    "undecryptable",
    "storage",
    "refused",
    "undelivered",
    "internal",
  ])
  .catch("internal");

/** A poll that took longer was not over when the slot's turn began: its own times are told. */
const slowMs = 5_000;

/** The times are left out while all goes well: the slot's own time says it then. */
const keptHealthSchema = z.object({
  lastPollAt: z.number().optional(),
  lastGoodAt: z.number().optional(),
  lastError: z.object({ trouble: troubleSchema, at: z.number() }).optional(),
});

export interface ServerRightsDeps {
  readonly notes: Notes;
  readonly log: Log;
  /** Tells this process's memories from those of others. */
  readonly name: string;
}

/** Puts what happens in this process in an order. */
interface Count {
  value: number;
}

/** What this process knows of every server that it has polled, or that somebody asked about: some 200 bytes each. */
export interface ServerRights {
  of(guildId: string): Right & { readonly shared: SharedServer };
  /** A slot is this process's from now on. */
  hold(slot: number, hold: SlotHold): void;
  release(slot: number, hold: SlotHold): void;
  /** Looks at all that is held: what is found to be over is aborted. */
  look(): void;
  /**
   * To be called before servers are polled: forgets what others have changed since.
   *
   * @param read reads what is known by now
   */
  meet<Known extends SlotNotes>(read: () => Promise<Known>, of: (known: Known) => readonly string[]): Promise<Known>;
  /** Something that is kept for the server was changed here, beside its polls. Throws `StorageError`. */
  changed(guildId: string): Promise<void>;
  /** A server's data is deleted: what others were told of it goes, too. Throws `StorageError`. */
  forget(guildId: string): Promise<void>;
  /** Redis may be an older copy of itself now: nothing that was remembered is believed. */
  doubt(): void;
}

/** One server, as this process knows it. */
class ServerRight implements Right, SharedServer {
  private readonly guildId: string;
  private readonly slot: number;
  private readonly deps: ServerRightsDeps & { readonly count: Count };
  private readonly holdOf: () => SlotHold | undefined;
  /** The version that what is remembered is of; undefined where nothing is worth remembering. */
  private known: number | undefined;
  private era = 0;
  private mark = "";
  private memories = 0;
  private handed: string | undefined;
  private told = "";
  /** Digest of the memory that was last handed on, and of its version. */
  private kept = "";
  /** When it was last raised here, by the process's count, and how often it is being raised. */
  private raisedAt = 0;
  private raising = 0;

  constructor(
    guildId: string,
    deps: ServerRightsDeps & { readonly count: Count },
    holdOf: (slot: number) => SlotHold | undefined,
  ) {
    this.guildId = guildId;
    this.slot = slotOf(guildId);
    this.deps = deps;
    this.holdOf = () => holdOf(this.slot);
  }

  get shared(): SharedServer {
    return this;
  }

  term(): number | undefined {
    return this.known !== undefined && this.holdOf()?.isHeld() ? this.era : undefined;
  }

  signal(): AbortSignal {
    return this.term() === undefined ? over : (this.holdOf()?.signal ?? over);
  }

  /** What is remembered is of `version` from now on. */
  meet(version: number) {
    if (this.known === version) return;
    this.known = version;
    this.era++;
    // Of the version before, and told before others may have told something else.
    this.handed = undefined;
    this.told = "";
  }

  /** Meets a server that has no version: that nobody has written yet, and that Redis lost it, look the same. */
  async meetNew(): Promise<void> {
    this.meet(await this.firstVersion());
  }

  private firstVersion(): Promise<number> {
    return this.deps.notes.raise(this.slot, this.guildId, newStep());
  }

  isNewest(mark: string | undefined): boolean {
    return mark === undefined || mark === this.mark;
  }

  take(memory: Memory | undefined) {
    if (!memory) return;
    this.mark = memory.mark;
    // What was written since then may have made more of the lists' orders known than they were.
    this.handed = memory.version === this.known ? memory.text : undefined;
  }

  doubt() {
    this.known = undefined;
  }

  private lose(): never {
    this.known = undefined;
    throw new ConflictError();
  }

  async confirm(): Promise<void> {
    const hold = this.holdOf();
    const { known } = this;
    if (known === undefined || !hold) throw new ConflictError();
    const [isHeld, version] = await Promise.all([hold.prove(), this.deps.notes.version(this.slot, this.guildId)]);
    if (version !== known) this.lose();
    // The process may have been suspended since the one answer, for as long as it waited for the other.
    if (!isHeld || this.term() === undefined) throw new ConflictError();
  }

  async writing(): Promise<void> {
    if (this.term() === undefined) throw new ConflictError();
    if (!(await this.raise())) this.lose();
    // The process may have been suspended while it waited for the answer.
    if (this.term() === undefined) throw new ConflictError();
  }

  /** Whether nobody else has raised it since what is remembered was learned. */
  private async raise(): Promise<boolean> {
    const step = newStep();
    // Several may be under way at once; they arrive in this order.
    const expected = this.known === undefined ? undefined : this.known + step;
    this.known = expected;
    this.raising++;
    try {
      return (await this.deps.notes.raise(this.slot, this.guildId, step)) === expected;
    } catch (error) {
      this.known = undefined;
      throw error;
    } finally {
      this.raising--;
      this.raisedAt = ++this.deps.count.value;
    }
  }

  /** Whether a version that was read when the process's count was `asOf` may lack what was written here. */
  isAheadOf(asOf: number): boolean {
    return this.raising > 0 || this.raisedAt > asOf;
  }

  async changed(): Promise<void> {
    const isRemembered = this.known !== undefined;
    if (!(await this.raise()) && isRemembered) this.known = undefined;
  }

  async isFresh(): Promise<boolean> {
    const { known } = this;
    const version = (await this.deps.notes.version(this.slot, this.guildId)) || (await this.firstVersion());
    // What was written here meanwhile was sent after this question, and shows by itself whether others wrote.
    if (version === known) return true;
    if (this.known === known) this.meet(version);
    return false;
  }

  takeMemory(): string | undefined {
    const text = this.handed;
    this.handed = undefined;
    return text;
  }

  keepMemory(text: string): void {
    if (this.known === undefined) return;
    const kept = hash("sha1", `${this.known} ${text}`);
    if (kept === this.kept) return;
    this.kept = kept;
    this.handed = undefined;
    this.mark = `${this.deps.name}:${++this.memories}`;
    const memory = { version: this.known, mark: this.mark, text };
    this.deps.notes.keepMemory(this.slot, this.guildId, memory).catch((error: unknown) => this.notKept(error));
  }

  /** Of the next poll the times are told: no tick says them. */
  tellTimes() {
    this.told = "";
  }

  keepHealth({ lastPollAt = 0, lastGoodAt = 0, lastError }: Health): void {
    const isQuick = lastGoodAt >= lastPollAt && lastGoodAt - lastPollAt < slowMs;
    const told = JSON.stringify([lastError, isQuick || lastGoodAt]);
    if (told === this.told) return;
    this.told = told;
    const text = JSON.stringify({ lastError, lastPollAt, ...(isQuick ? {} : { lastGoodAt }) });
    this.deps.notes.keepHealth(this.slot, this.guildId, text).catch((error: unknown) => this.notKept(error));
  }

  async health(): Promise<Health> {
    const { notes } = this.deps;
    const [kept, state] = await Promise.all([notes.health(this.slot, this.guildId), notes.slotState(this.slot)]);
    if (kept === undefined) return {};
    const own = keptHealthSchema.catch({}).parse(kept);
    const lastPollAt = Math.max(own.lastPollAt ?? 0, state?.polledAt ?? 0);
    const { lastGoodAt = lastPollAt, lastError } = own;
    return {
      ...(lastPollAt ? { lastPollAt } : {}),
      ...(lastGoodAt ? { lastGoodAt } : {}),
      ...(lastError ? { lastError } : {}),
    };
  }

  private notKept(error: unknown) {
    this.deps.log.debug({ err: error, guild: this.guildId }, "other workers are not told what this one has seen");
  }
}

/** One for the process. */
export function createServerRights(deps: ServerRightsDeps): ServerRights {
  const count: Count = { value: 0 };
  const all = { ...deps, count };
  const rights = new Map<string, ServerRight>();
  const holds = new Map<number, SlotHold>();

  function of(guildId: string): ServerRight {
    const known = rights.get(guildId);
    if (known) return known;
    const right = new ServerRight(guildId, all, (slot) => holds.get(slot));
    rights.set(guildId, right);
    return right;
  }

  return {
    of,
    hold: (slot, hold) => void holds.set(slot, hold),
    release(slot, hold) {
      hold.end();
      // A turn that lost its slot may end after the next one of this process has begun.
      if (holds.get(slot) === hold) holds.delete(slot);
    },
    look() {
      for (const hold of holds.values()) hold.isHeld();
    },
    async meet(read, servers) {
      const asOf = ++count.value;
      const known = await read();
      const behind: string[] = [];
      const unwritten: ServerRight[] = [];
      for (const guildId of known.due) if (guildId !== everyone) of(guildId).tellTimes();
      for (const guildId of servers(known)) {
        const right = of(guildId);
        const version = known.versions.get(guildId);
        // Where something was written here meanwhile, the write itself has shown whether anybody else wrote.
        if (version === undefined) unwritten.push(right);
        else if (!right.isAheadOf(asOf)) right.meet(version);
        if (!right.isNewest(known.marks.get(guildId))) behind.push(guildId);
      }
      await Promise.all(unwritten.map((right) => right.meetNew()));
      const memories = await deps.notes.memories(behind);
      for (const [index, guildId] of behind.entries()) of(guildId).take(memories[index]);
      return known;
    },
    changed: (guildId) => of(guildId).changed(),
    async forget(guildId) {
      rights.delete(guildId);
      await deps.notes.forget(slotOf(guildId), guildId);
    },
    doubt() {
      for (const right of rights.values()) right.doubt();
    },
  };
}
