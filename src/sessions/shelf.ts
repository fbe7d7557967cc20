import { randomBytes } from "node:crypto";
import { setImmediate as othersTurn } from "node:timers/promises";
import { createTurns } from "../basics/turns.ts";
import type { Storage } from "../storage/table.ts";
import { ProblemError } from "../views/problem.ts";

/** What may be kept at a time; bytes are those of the values as JSON. */
interface Bound {
  readonly count: number;
  readonly bytes: number;
}

/** A value on a shelf says whose it is; what is long in it is sealed. */
interface Owned {
  readonly userId: string;
  /** As a vault writes it: one byte a character. */
  readonly sealed?: string;
}

/** What people make the bot keep for a day, by names of its own, in servers apart. Throws `StorageError`. */
export interface Shelf<Value extends Owned> {
  /** Undefined for what is not there any more, and for any text that no name of ours is. */
  get(guildId: string, name: string): Promise<Value | undefined>;
  /**
   * Keeps something new for a day. What is too much then goes, the oldest first: of what is the person's own, or, where
   * the server has too much, of whoever has most there. Throws a `ProblemError` ("not_connected") where nothing may be
   * kept, and a `RangeError` for a value that alone is more than a person may have.
   */
  add(guildId: string, name: string, value: Value): Promise<void>;
  /**
   * As `add`, in the place of what has that name: throws a `ProblemError` ("expired") where that is gone, for what was
   * forgotten meanwhile must not come back. `isDear` things go only when nothing else is left.
   */
  replace(guildId: string, name: string, value: Value, isDear?: boolean): Promise<void>;
  /** As `get`; of several who ask at once, one gets it. `mayTake` throws where it is to stay. */
  take(guildId: string, name: string, mayTake: (value: Value) => void): Promise<Value | undefined>;
  /** Deletes all of a server. */
  forget(guildId: string): Promise<void>;
}

/** How long something is kept after its last change. */
export const keptMs = 24 * 60 * 60_000;

/** Twelve characters that nobody guesses, and that fit into custom ids. */
export const newName = () => randomBytes(9).toString("base64url");
const namePattern = /^[\w-]{12}$/;

/** One thing on the shelf, in a list whose last one is the newest. `until` is epoch ms. */
interface Entry {
  readonly name: string;
  readonly userId: string;
  readonly bytes: number;
  readonly until: number;
  readonly isDear: boolean;
}
/** As it is stored: every change writes the whole list. */
type Row = readonly [name: string, userId: string, bytes: number, until: number, isDear: 0 | 1];

const rowOf = ({ name, userId, bytes, until, isDear }: Entry): Row => [name, userId, bytes, until, isDear ? 1 : 0];
const entryOf = ([name, userId, bytes, until, isDear]: Row): Entry => ({
  name,
  userId,
  bytes,
  until,
  isDear: isDear === 1,
});

/** Without writing the long part down once more: it may have some MiB. */
const bytesOf = (value: Owned) =>
  Buffer.byteLength(JSON.stringify({ ...value, sealed: "" })) + (value.sealed ?? "").length;

const units = ["count", "bytes"] as const;
const heldIn = (unit: keyof Bound, entries: readonly Entry[]) =>
  entries.reduce((sum, { bytes }) => sum + (unit === "bytes" ? bytes : 1), 0);

/** The entries that may stay; the last one, which is the newest and alone fits within every bound, always does. */
function withoutSurplus(
  entries: readonly Entry[],
  { ofPerson, ofServer }: { readonly ofPerson: Bound; readonly ofServer: Bound },
): Entry[] {
  let kept = [...entries];
  const newest = kept.at(-1);
  const of = (userId: string | undefined) => kept.filter((entry) => entry.userId === userId);
  const spare = (among: readonly Entry[]) => {
    const others = among.filter((entry) => entry !== newest);
    const plain = others.filter(({ isDear }) => !isDear);
    return plain.length > 0 ? plain : others;
  };
  const removeFirstOf = ([out]: readonly Entry[]) => {
    kept = kept.filter((entry) => entry !== out);
  };
  for (const unit of units) {
    while (heldIn(unit, of(newest?.userId)) > ofPerson[unit]) removeFirstOf(spare(of(newest?.userId)));
  }
  for (const unit of units) {
    while (heldIn(unit, kept) > ofServer[unit]) {
      const candidates = spare(kept);
      const held = new Map(candidates.map(({ userId }) => [userId, heldIn(unit, of(userId))]));
      const most = Math.max(...held.values());
      removeFirstOf(candidates.filter(({ userId }) => held.get(userId) === most));
    }
  }
  return kept;
}

/**
 * A shelf in storage. A list of what is on it is kept beside it, and always names at least what is there: a name without
 * a value, which a crash may leave, goes with its day, and what 0.1.0 left, which has no name here, with its own. Two
 * processes that write at the same moment may leave a value unnamed for its day.
 *
 * @param kind names the table
 * @param mayKeep whether anything may be kept for a server. False as soon as the server is being forgotten, and before
 *   `forget` is called: then nothing that comes late stays behind
 * @param now epoch ms
 */
export function createShelf<Value extends Owned>({
  storage,
  kind,
  bounds,
  mayKeep = async () => true,
  now = Date.now,
}: {
  storage: Storage;
  kind: string;
  bounds: { readonly ofPerson: Bound; readonly ofServer: Bound };
  mayKeep?: (guildId: string) => Promise<boolean>;
  now?: () => number;
}): Shelf<Value> {
  const inTurn = createTurns();
  const valuesOf = (guildId: string) => storage.table<Value>(`${kind}:${guildId}`);
  const lists = storage.table<readonly Row[]>(`kept:${kind}`);
  const entriesOf = async (guildId: string) => ((await lists.get(guildId)) ?? []).map(entryOf);
  const write = (guildId: string, entries: readonly Entry[]) =>
    lists.set(guildId, entries.map(rowOf), { ttlMs: keptMs });

  async function get(guildId: string, name: string): Promise<Value | undefined> {
    return namePattern.test(name) ? valuesOf(guildId).get(name) : undefined;
  }

  async function put(guildId: string, name: string, value: Value, before: readonly Entry[], isDear: boolean) {
    const bytes = bytesOf(value);
    if (bytes > bounds.ofPerson.bytes) throw new RangeError(`${bytes} bytes are too many for ${kind}`);
    const entry: Entry = { name, userId: value.userId, bytes, until: now() + keptMs, isDear };
    const valid = before.filter((other) => other.name !== name && other.until > now());
    const kept = withoutSurplus([...valid, entry], bounds);
    const names = new Set(kept.map((other) => other.name));
    // In this sequence nothing is ever there without a name, and never more than may be.
    await valuesOf(guildId).deleteMany(before.map((other) => other.name).filter((other) => !names.has(other)));
    await write(guildId, kept);
    // Sealing some MiB takes milliseconds, and so does writing them: not both at a stretch.
    await othersTurn();
    await valuesOf(guildId).set(name, value, { ttlMs: keptMs });
  }

  return {
    get,
    add: (guildId, name, value) =>
      inTurn(guildId, async () => {
        if (!(await mayKeep(guildId))) throw new ProblemError({ code: "not_connected" });
        await put(guildId, name, value, await entriesOf(guildId), false);
      }),
    replace: (guildId, name, value, isDear = false) =>
      inTurn(guildId, async () => {
        const before = await entriesOf(guildId);
        const isNamed = before.some((entry) => entry.name === name);
        // What 0.1.0 left has no name in the list.
        if (!isNamed && (await get(guildId, name)) === undefined) throw new ProblemError({ code: "expired" });
        await put(guildId, name, value, before, isDear);
      }),
    take: (guildId, name, mayTake) =>
      inTurn(guildId, async () => {
        const value = await get(guildId, name);
        if (value === undefined) return undefined;
        mayTake(value);
        await valuesOf(guildId).delete(name);
        const left = (await entriesOf(guildId)).filter((entry) => entry.name !== name);
        await write(guildId, left);
        return value;
      }),
    forget: (guildId) =>
      inTurn(guildId, async () => {
        await valuesOf(guildId).clear();
        await lists.delete(guildId);
      }),
  };
}
