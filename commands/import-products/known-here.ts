import type { Caller } from "../../src/discord/commands/caller.ts";
import type { Guild } from "../../src/guilds/guild.ts";
import type { ImportRecord } from "../../src/reports/import-records.ts";
import type { ImportRow } from "../../src/reports/run-import.ts";
import type { Services } from "../../src/services.ts";
import { hasAny } from "../../src/store-queries/find-product.ts";

/** Identifies the connected store in the records of imports. */
export const storeOf = ({ token }: Guild) => String(token?.since);

/**
 * Returns the records of rows that are valid for the connected store. Records of another token are valid if the store
 * has one of their products: the token is new, but the store is the same. Throws `StoreError`.
 */
export async function knownHere(
  { guildId }: Caller,
  rows: readonly ImportRow[],
  { connected, importRecords }: Services,
): Promise<ReadonlyMap<string, ImportRecord>> {
  const { guild, store } = await connected(guildId);
  const records = await importRecords.of(
    guildId,
    rows.map(({ key }) => key),
  );
  const created = rows.flatMap(({ key, product }) => {
    const record = records.get(key);
    return record?.state === "created" ? [{ key, id: record.id, title: product.info.title, of: record.store }] : [];
  });
  const known = new Map(records);
  for (const [of, products] of Map.groupBy(created, (one) => one.of)) {
    if (of === storeOf(guild) || (await hasAny(store, products))) continue;
    for (const { key } of products) known.delete(key);
  }
  return known;
}
