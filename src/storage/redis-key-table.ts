import { moveIntoHashes } from "./redis-hash-table.ts";
import { RedisTable, type ScriptClient, sliceSize } from "./redis-table.ts";
import type { RawEntry } from "./table.ts";

/** What is used of a client of Redis. Each method rejects at once where it is not connected. */
interface Client extends ScriptClient {
  mGet(keys: string[]): Promise<readonly (string | null)[]>;
  scanIterator(options: { MATCH: string; COUNT: number; TYPE: "string" }): AsyncIterable<string[]>;
}

const prefix = "shopbell:";
/** What every version has to find where it always was, to know whether it may read the rest, and whether another one works with it. */
const tables: ReadonlySet<string> = new Set(["data", "copy", "lease"]);

/** Whether the entries of a table have keys of their own. */
export const hasOwnKeys = (table: string): boolean => tables.has(table);

/** Which entry a key of its own holds; undefined for what is none of ours. No table has a slash in its name. */
function entryAt(name: string): Pick<RawEntry, "table" | "key"> | undefined {
  const end = name.indexOf("/");
  return end < 0 ? undefined : { table: name.slice(prefix.length, end), key: name.slice(end + 1) };
}

const namesOf = (client: Client, table = "*") =>
  client.scanIterator({ MATCH: `${prefix}${table}/*`, COUNT: sliceSize, TYPE: "string" });

/** Every entry that has a key of its own, of one table or, without one, of all that ever had such; one may come twice. */
export async function* everyOwnKey(client: Client, table?: string): AsyncGenerator<readonly RawEntry[]> {
  for await (const names of namesOf(client, table)) {
    const values = names.length === 0 ? [] : await client.mGet(names);
    yield names.flatMap((name, index) => {
      const raw = values[index];
      const entry = entryAt(name);
      // One may have been deleted that the scan saw a moment ago.
      return typeof raw !== "string" || entry === undefined ? [] : [{ ...entry, raw }];
    });
  }
}

/** Moves entries of earlier versions into hashes, but for those that every version has to find where they always were. */
export async function moveOwnKeys(client: Client): Promise<void> {
  for await (const names of namesOf(client)) {
    const moved = names.filter((name) => !hasOwnKeys(entryAt(name)?.table ?? ""));
    await moveIntoHashes(client, prefix, moved);
  }
}

/** A table whose entries have keys of their own, `shopbell:<table>/<key>`. To read or clear it as a whole walks all keys of the database. */
export class RedisKeyTable extends RedisTable {
  protected readonly client: Client;
  private readonly name: string;

  constructor(client: Client, name: string) {
    super();
    this.client = client;
    this.name = name;
  }

  place(key: string) {
    return { hash: "", key: `${prefix}${this.name}/${key}` };
  }

  async read(keys: readonly string[]) {
    const stored = await this.client.mGet(keys.map((key) => this.place(key).key));
    return stored.map((raw) => raw ?? undefined);
  }

  async clear() {
    for await (const page of everyOwnKey(this.client, this.name)) await this.remove(page.map(({ key }) => key));
  }

  async *pages() {
    const seen = new Set<string>();
    for await (const page of everyOwnKey(this.client, this.name)) {
      const fresh = new Map(page.filter(({ key }) => !seen.has(key)).map(({ key, raw }) => [key, raw]));
      for (const key of fresh.keys()) seen.add(key);
      yield [...fresh];
    }
  }
}
