import { z } from "zod";
import type { Storage, TableShape } from "../storage/table.ts";
import { textsSchema } from "../storage/texts-schema.ts";

/** A list of ids in storage that grows and shrinks without being rewritten whole. */
export interface IdList {
  /** In the order in which they were added. */
  read(): Promise<string[]>;
  /** The part before the one of this number, or the last one; undefined where the list is empty. */
  before(part: number): Promise<{ readonly number: number; readonly ids: readonly string[] } | undefined>;
  /** Ids that are there already stay where they are. */
  add(ids: readonly string[]): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  clear(): Promise<void>;
}

/** Which parts there are: all from `first` to `last`, where `last` is below `first` when there is none. */
type Extent = Readonly<z.infer<typeof extentSchema>>;

const extentSchema = z.object({ first: z.int(), last: z.int() });
const noParts: Extent = { first: 1, last: 0 };

// What is malformed names nothing, as a malformed entry of the ledger owes nothing: the orders that come then ring, and the
// server can be forgotten.

/** By the names of lists. */
export const extentsTable: TableShape<Extent> = { name: "id-lists", schema: extentSchema.catch(noParts), version: 1 };

/** By the name of a list and the number of a part. */
export const partsTable: TableShape<readonly string[]> = {
  name: "id-list-parts",
  schema: textsSchema,
  version: 1,
};

/** Ids in one part: a new order rewrites 2 kB, and 1,500 orders are read with 30 keys. */
const partSize = 50;
/**
 * Parts between the first and the last id beyond twice as many as all ids need: all of them are read, also those that are
 * empty, and an id may stay for good while thousands come and go behind it.
 */
const mostSpare = 20;

/**
 * The list `name`. Its extent is written before a part that it names, and a part that is named and not there is an empty
 * one: a crash in between loses nothing. Changes have to come one after another.
 */
export function createIdList(storage: Storage, name: string): IdList {
  const extents = storage.table(extentsTable);
  const parts = storage.table(partsTable);
  const keyOf = (part: number) => `${name}:${part}`;
  const extent = async (): Promise<Extent> => (await extents.get(name)) ?? noParts;
  const keysOf = ({ first, last }: Extent) =>
    Array.from({ length: last - first + 1 }, (_, index) => keyOf(first + index));

  async function readParts(where: Extent): Promise<(readonly string[])[]> {
    return (await parts.getMany(keysOf(where))).map((ids) => ids ?? []);
  }

  /** Puts what is left into new parts behind all others; until those are gone, an id stands twice. */
  async function gather({ first, last }: Extent, left: readonly (readonly string[])[]): Promise<void> {
    const ids = [...new Set(left.flat())];
    const written: [string, readonly string[]][] = [];
    let part = last;
    for (let start = 0; start < ids.length; start += partSize) {
      part++;
      written.push([keyOf(part), ids.slice(start, start + partSize)]);
    }
    await extents.set(name, { first, last: part });
    await parts.setMany(written);
    await parts.deleteMany(left.flatMap((some, index) => (some.length > 0 ? [keyOf(first + index)] : [])));
    await extents.set(name, { first: last + 1, last: part });
  }

  return {
    async read() {
      const where = await extent();
      return where.last < where.first ? [] : [...new Set((await readParts(where)).flat())];
    },
    async before(part) {
      const { first, last } = await extent();
      if (last < first) return undefined;
      const number = part > first && part <= last ? part - 1 : last;
      return { number, ids: (await parts.get(keyOf(number))) ?? [] };
    },
    async add(ids) {
      const { first, last } = await extent();
      const [end = []] = last < first ? [] : await parts.getMany([keyOf(last)]);
      const present = new Set(end);
      const added = [...new Set(ids)].filter((id) => !present.has(id));
      if (added.length === 0) return;
      const room = last < first ? 0 : Math.max(partSize - end.length, 0);
      const written: [string, readonly string[]][] = room > 0 ? [[keyOf(last), [...end, ...added.slice(0, room)]]] : [];
      let part = last;
      for (let start = room; start < added.length; start += partSize) {
        part++;
        written.push([keyOf(part), added.slice(start, start + partSize)]);
      }
      if (part > last) await extents.set(name, { first, last: part });
      await parts.setMany(written);
    },
    async remove(ids) {
      const where = await extent();
      if (where.last < where.first || ids.length === 0) return;
      const gone = new Set(ids);
      const before = await readParts(where);
      const after = before.map((part) => (part.some((id) => gone.has(id)) ? part.filter((id) => !gone.has(id)) : part));
      const changed = after.flatMap((part, index) =>
        part === before[index] || part.length === 0 ? [] : [[keyOf(where.first + index), part] as const],
      );
      const emptied = after.flatMap((part, index) =>
        part.length === 0 && part !== before[index] ? [keyOf(where.first + index)] : [],
      );
      await parts.setMany(changed);
      await parts.deleteMany(emptied);
      const start = after.findIndex((part) => part.length > 0);
      const count = after.reduce((sum, part) => sum + part.length, 0);
      if (start === -1) await extents.delete(name);
      else if (after.length - start > 2 * Math.ceil(count / partSize) + mostSpare) await gather(where, after);
      else if (start > 0) await extents.set(name, { first: where.first + start, last: where.last });
    },
    async clear() {
      const where = await extent();
      if (where.last >= where.first) await parts.deleteMany(keysOf(where));
      await extents.delete(name);
    },
  };
}
