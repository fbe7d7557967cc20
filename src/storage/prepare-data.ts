import { rename } from "node:fs/promises";
import { dirname } from "node:path";
import { sleep } from "../basics/limits/sleep.ts";
import type { Log } from "../basics/log.ts";
import { shopbellVersion } from "../basics/shopbell-version.ts";
import { syncDirectory } from "../basics/sync-file.ts";
import { copySqlite } from "./copy-sqlite.ts";
import { type DataRecord, dataRecord } from "./data-record.ts";
import { storageOperation } from "./keyv-table.ts";
import { moveToOutbox, removePlainCustomers } from "./migrations/2-to-3-outbox.ts";
import { toRowsOfServers } from "./migrations/3-to-4-polled-servers.ts";
import { tablesToRecords } from "./migrations/4-to-5-records.ts";
import { toOneBaseline } from "./migrations/5-to-6-baseline.ts";
import { toFewerTables } from "./migrations/6-to-7-fewer-tables.ts";
import { removeDatabase, sqlitePath } from "./sqlite-path.ts";
import type { WholeStorage } from "./table.ts";

/**
 * Converts data of one version to the next. A migration is needed if a `TableShape` cannot read the rows of the earlier
 * version. An interrupted migration runs again from its start, and must give the same result as an uninterrupted one.
 */
export type Migration = (storage: WholeStorage) => Promise<void>;

const migrations: readonly Migration[] = [
  // Moves the tables of Redis into hashes, so that reading or removing a table does not scan all keys.
  (storage) => storage.moveToHashes(),
  moveToOutbox,
  toRowsOfServers,
  tablesToRecords,
  toOneBaseline,
  toFewerTables,
];

/** `message` names the reason and the remedy. */
export class DataError extends Error {
  override readonly name = "DataError";
}

export const dataVersion = migrations.length + 1;

export function assertKnown(record: DataRecord | undefined): void {
  if (record?.importOf !== undefined) {
    throw new DataError(
      "an import into this storage was cut short. Run `npm run import` again with the same file: the import continues, and no entry is written twice.",
    );
  }
  if (record === undefined || record.version <= dataVersion) return;
  throw new DataError(
    `the data is of version ${record.version}, which Shopbell ${record.shopbell} wrote; this one (${shopbellVersion}) knows version ${dataVersion}. Nothing was changed. Start Shopbell ${record.shopbell} or later, or restore a backup from before its first start.`,
  );
}

/**
 * Tables of running processes. A storage with only these tables has no data of servers. The table `published` is not one of
 * them: it shows that version 0.1.0 worked with the storage.
 */
const ownTables: ReadonlySet<string> = new Set(
  "data copy lease members partitions storage-id gateway identifies greeted".split(" "),
);

export async function isEmptyStorage(storage: WholeStorage): Promise<boolean> {
  for await (const page of storage.rawEntries()) if (page.some(({ table }) => !ownTables.has(table))) return false;
  return true;
}

async function currentVersion(storage: WholeStorage, record: DataRecord | undefined): Promise<number> {
  if (record !== undefined) return record.migratingFrom ?? record.version;
  return (await isEmptyStorage(storage)) ? dataVersion : 1;
}

/**
 * Throws a `DataError` if the data has another version, or if an import was cut short. Called every few seconds, because an
 * import, a restore or a later version may change the data after the start.
 */
export async function assertPrepared(storage: WholeStorage, log: Log): Promise<void> {
  const record = await dataRecord.read(storage);
  assertKnown(record);
  const version = await currentVersion(storage, record);
  if (version >= dataVersion) {
    // There is no record if the database was emptied. Without a new record, later rows would count as data of version 0.1.0.
    const current = { version: dataVersion, shopbell: shopbellVersion };
    if (record === undefined && (await dataRecord.add(storage, current))) {
      log.error(
        {},
        "the storage is empty; if it had data, end the bot and restore a backup, or every store has to be connected again",
      );
    }
    return;
  }
  throw new DataError(
    `the data is of version ${version} now, an earlier one than at the start. Nothing was changed. Start Shopbell again: that brings it to version ${dataVersion}.`,
  );
}

async function copyBefore(url: string, log: Pick<Log, "info" | "warn">): Promise<void> {
  const path = sqlitePath(url);
  if (path === undefined) {
    log.warn({}, "the data is converted to a new version; this storage is not copied first");
    return;
  }
  const copy = `${path}.before-${dataVersion}`;
  const next = `${copy}.new`;
  await storageOperation("copy", async () => {
    // SQLite would use the journal of an interrupted copy for this copy.
    await removeDatabase(next);
    await copySqlite(path, next, removePlainCustomers);
    // An earlier copy is replaced, because it is from an upgrade that was undone, and lacks newer data.
    await rename(next, copy);
  });
  syncDirectory(dirname(copy));
  log.info({ file: copy }, "the data is converted to a new version; a copy of the old data is kept next to it");
}

/**
 * The migration fails if `keepOut` returns undefined more often than this. A few times are normal: another process may be
 * copying the data before it migrates.
 */
const mostRefusals = 10;
const lookEveryMs = 1_000;

/** The first write sets the record to the final version, so an earlier Shopbell refuses half-migrated data. */
async function migrate(storage: WholeStorage, { url, keepOut, log }: Parameters<typeof prepareData>[1]): Promise<void> {
  let letIn = await keepOut();
  for (let refusals = 1; letIn === undefined; refusals++) {
    const record = await dataRecord.read(storage);
    const isOld = record === undefined || record.version < dataVersion;
    if (isOld && refusals > mostRefusals) {
      throw new DataError(
        "the data has to be converted to a new version, and another process works with it. Nothing was changed. End that process, then start this one again.",
      );
    }
    if (!isOld && record.migratingFrom === undefined) return;
    await sleep(lookEveryMs);
    letIn = await keepOut();
  }
  try {
    const record = await dataRecord.read(storage);
    const from = record?.migratingFrom ?? record?.version ?? 1;
    // An interrupted migration has made this copy already.
    if (from < dataVersion && record?.migratingFrom === undefined) await copyBefore(url, log);
    for (let version = from; version < dataVersion; version++) {
      await dataRecord.write(storage, { version: dataVersion, shopbell: shopbellVersion, migratingFrom: version });
      await migrations[version - 1]?.(storage);
      log.info({ version: version + 1 }, "the data was converted");
    }
    await dataRecord.write(storage, { version: dataVersion, shopbell: shopbellVersion });
  } finally {
    await letIn();
  }
}

/**
 * Must be called once at the start, before anything else reads the storage. Refuses data of a later version. Migrates data of
 * an earlier version; if the storage is a SQLite file, first copies this file.
 *
 * @param keepOut prevents other processes from polling and migrating, until the function that it returns is called. It returns
 * undefined after some seconds if another process polls or migrates
 * @throws DataError, and the errors of storage and disk
 */
export async function prepareData(
  storage: WholeStorage,
  deps: {
    readonly url: string;
    keepOut(): Promise<(() => Promise<void>) | undefined>;
    readonly log: Pick<Log, "info" | "warn">;
  },
): Promise<void> {
  const record = await dataRecord.read(storage);
  assertKnown(record);
  if ((await currentVersion(storage, record)) < dataVersion) return migrate(storage, deps);
  if (record?.shopbell === shopbellVersion) return;
  // A full disk must not prevent the start.
  await dataRecord.write(storage, { version: dataVersion, shopbell: shopbellVersion }).catch((error: unknown) => {
    deps.log.warn({ err: error }, "could not record the version of the data; the next start does");
  });
}
