import { printable } from "../basics/printable.ts";
import { reasonOf } from "../basics/reason.ts";
import type { Config } from "../config.ts";
import type { Guild } from "../guilds/guild.ts";
import { guildsTable } from "../guilds/guilds.ts";
import { findSecretKeys } from "../guilds/secret-keys.ts";
import { createVault, type Vault, VaultError } from "../guilds/vault.ts";
import { isPolled } from "../polling/lock-out-bots.ts";
import { type DataRecord, dataRecord } from "../storage/data-record.ts";
import { inspectStorage, type StorageInspection } from "../storage/inspect-storage.ts";
import { dataVersion } from "../storage/prepare-data.ts";
import { sqlitePath } from "../storage/sqlite-path.ts";
import type { Storage } from "../storage/table.ts";
import { ok, type Result, warn, wrong } from "./finding.ts";

const megabyte = 1e6;
/** Free space below this is a warning. A year of a busy store takes less, including the copy that an upgrade makes. */
const scantBytes = 200 * megabyte;
/** Free space below this is wrong. SQLite's write-ahead log alone may need a part of it at once. */
const fullBytes = 20 * megabyte;
/** Number of ids that a finding names. Further ids are only counted. */
const maxNamed = 10;

const bytes = (count: number) =>
  count < 1e9 ? `${Math.floor(count / megabyte)} MB` : `${(count / 1e9).toFixed(1)} GB`;

/**
 * Explains an error of the storage. The messages of SQLite and PostgreSQL say more than their codes. For errors of the
 * system, the name is enough.
 */
function storageReason(error: unknown): string {
  if (error instanceof Error && error.cause !== undefined) return storageReason(error.cause);
  if (!(error instanceof Error)) return String(error);
  if ("errstr" in error && typeof error.errstr === "string") return `${error.message}: ${error.errstr}`;
  const isSystem = "code" in error && typeof error.code === "string" && /^E[A-Z]+$/.test(error.code);
  return isSystem || error.message === "" ? reasonOf(error) : error.message;
}

/** Checks whether the storage can be reached, read and written to, and has enough free space. */
export async function checkStorage(
  url: string,
): Promise<{ readonly storage?: Storage | undefined; readonly results: readonly Result[] }> {
  const path = sqlitePath(url);
  const place = path ?? new URL(url).host;
  if (url === "sqlite://:memory:") {
    const remedy = "give STORAGE_URL a file, such as sqlite://data/shopbell.sqlite";
    return { results: [warn("everything is kept in memory, and lost when the bot ends", remedy)] };
  }
  try {
    const inspection = await inspectStorage(url);
    const { storage, freeBytes } = inspection;
    const record = storage && (await dataRecord.read(storage));
    return { storage, results: [...judgeStorage(place, inspection, record), ...judgeRoom(freeBytes)] };
  } catch (error) {
    const remedy = path
      ? "run this as the bot's user in its directory; if the file is broken, restore a backup (npm run restore)"
      : "check STORAGE_URL, and that the server runs and may be reached from here";
    return { results: [wrong(`${place} cannot be read (${printable(storageReason(error), 200)})`, remedy)] };
  }
}

/** Describes the data, or the problem with it. Version 0.1.0 left no record of its data, which counts as version 1. */
function judgeData({ version, shopbell, importOf }: DataRecord = { version: 1, shopbell: "0.1.0" }): Result | string {
  const of = `data of version ${version} (Shopbell ${printable(shopbell, 20)})`;
  if (importOf !== undefined) {
    const remedy = "run npm run import again with the same file";
    return wrong(`${of}; an import into it was cut short`, remedy);
  }
  const known = dataVersion();
  if (version > known) {
    const remedy = "update Shopbell, or restore a backup of before: this version does not start with it";
    return wrong(`${of}; this Shopbell knows version ${known}`, remedy);
  }
  return version < known ? `${of}, which the next start brings to version ${known}` : of;
}

function judgeStorage(
  place: string,
  { storage, problem, freeBytes }: StorageInspection,
  record?: DataRecord,
): Result[] {
  if (problem !== undefined) {
    const remedy = "give the bot's user that right (and run this as that user), or correct STORAGE_URL";
    return [wrong(problem, remedy)];
  }
  if (storage === undefined) {
    const remedy = "if the bot has run before: run this in its directory, or correct STORAGE_URL";
    return [warn(`${place} is not there yet; the first start makes it`, remedy)];
  }
  const data = judgeData(record);
  const free = freeBytes === undefined ? "" : `, ${bytes(freeBytes)} free`;
  const says = `${place} can be read and written to${free}`;
  return typeof data === "string" ? [ok(`${says}; ${data}`)] : [ok(says), data];
}

function judgeRoom(freeBytes: number | undefined): Result[] {
  if (freeBytes === undefined || freeBytes >= scantBytes) return [];
  const says = `${bytes(freeBytes)} are free on its disk`;
  const remedy = "make room: when the disk is full no alert is sent, and none is lost";
  return [freeBytes < fullBytes ? wrong(says, remedy) : warn(says, remedy)];
}

/** The records of all servers. */
export interface Kept {
  readonly guilds: readonly Guild[];
  /** Ids of servers whose record is malformed. */
  readonly unread: readonly string[];
}

/** Reads the records of all servers. Throws `StorageError`. */
export async function readGuilds(storage: Storage): Promise<Kept> {
  const guilds: Guild[] = [];
  const unread: string[] = [];
  for await (const [id, kept] of storage.table(guildsTable).entries()) {
    if ("settings" in kept && kept.id === id) guilds.push(kept);
    else unread.push(id);
  }
  return { guilds, unread };
}

const naming = (ids: readonly string[]) =>
  ids.length <= maxNamed ? ids.join(", ") : `${ids.slice(0, maxNamed).join(", ")} and ${ids.length - maxNamed} more`;

/** The API token of a server; undefined if no key opens it. */
export function tokenOf({ id, token }: Guild, vault: Vault | undefined): string | undefined {
  try {
    return token && vault?.open(token.sealed, id);
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}

/** Checks whether the keys exist and open every token. */
export async function checkKeys(
  secretKeys: string | undefined,
  keyFile: string,
  { guilds, unread }: Kept,
): Promise<{ readonly vault?: Vault; readonly results: readonly Result[] }> {
  const sealed = guilds.filter(({ token }) => token !== undefined);
  const broken = unread.map((server) => ({
    ...wrong("its record cannot be understood", "restore a backup, or /store disconnect and /store connect"),
    server,
  }));
  let keys: Buffer[] | undefined;
  try {
    keys = await findSecretKeys(secretKeys, keyFile);
  } catch (error) {
    const remedy = `put the right key back, or its copy; a new one opens none of the ${sealed.length} tokens`;
    return { results: [wrong(printable(reasonOf(error), 200), remedy), ...broken] };
  }
  if (keys === undefined && sealed.length === 0)
    return { results: [ok(`${keyFile} is made at the first start`), ...broken] };
  if (keys === undefined) {
    const says = `${keyFile} is not there, and ${sealed.length} servers' tokens need it`;
    const remedy = "put it back from its copy, before the bot starts and makes a new one that opens none of them";
    return { results: [wrong(says, remedy), ...broken] };
  }
  const vault = createVault(keys);
  return { vault, results: [...judgeTokens(sealed, vault), ...broken] };
}

function judgeTokens(sealed: readonly Guild[], vault: Vault): Result[] {
  const lost = sealed.filter((guild) => tokenOf(guild, vault) === undefined).map(({ id }) => id);
  const older = sealed.filter(({ token }) => token && !vault.isCurrent(token.sealed)).length - lost.length;
  const results: Result[] = [];
  if (lost.length === 0) results.push(ok(`every API token can be opened (${sealed.length})`));
  else {
    const says = `no key opens the API token of ${lost.length} of ${sealed.length} servers: ${naming(lost)}`;
    const remedy =
      "put the lost key behind the others in SECRET_KEYS, or have these stores connected again (/store connect)";
    results.push(wrong(says, remedy));
  }
  if (older > 0) {
    const remedy = "keep the older keys until the bot has sealed these again, which it does while it runs";
    results.push(warn(`${older} tokens are sealed with an older key than the first one`, remedy));
  }
  return results;
}

/**
 * Checks whether a process polls on this storage. A process that only answers commands leaves no trace there. Throws
 * `StorageError`.
 *
 * @param role of the process with these settings: if it does only one part of the work, another process must do the
 *   other
 */
export async function checkBot(storage: Storage, role: Config["role"]): Promise<Result> {
  const polled = await isPolled(storage);
  if (role === "all") {
    return polled
      ? ok("one runs on this storage")
      : warn("none runs on this storage, so no alerts are sent", "start it: npm start");
  }
  if (!polled)
    return warn("no worker polls on this storage, so no alerts are sent", "start one: npm start, with ROLE=worker");
  return role === "gateway"
    ? ok("a worker polls on this storage")
    : ok("a worker polls on this storage; a gateway (ROLE=gateway) has to answer people, which is not seen from here");
}
