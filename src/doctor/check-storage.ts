import { printable } from "../basics/printable.ts";
import { reasonOf } from "../basics/reason.ts";
import type { Config } from "../config.ts";
import type { Guild } from "../guilds/guild.ts";
import { guildsTable } from "../guilds/guilds.ts";
import { findSecretKeys, secretKeyFile } from "../guilds/secret-keys.ts";
import { createVault, keyIdIn, type Vault, VaultError } from "../guilds/vault.ts";
import { hasPoller } from "../polling/lock-out-bots.ts";
import { dataRecord } from "../storage/data-record.ts";
import { inspectStorage } from "../storage/inspect-storage.ts";
import { dataVersion } from "../storage/prepare-data.ts";
import { sqlitePath } from "../storage/sqlite-path.ts";
import { storagePlace, storageReason, storageRemedy } from "../storage/storage-reason.ts";
import type { Storage } from "../storage/table.ts";
import { type Examined, fromLine, ok, type Result, warn, wrong } from "./finding.ts";

const megabyte = 1e6;
/** A busy store's data, with the copy that an upgrade makes, grows by less than this in a year. */
const scantBytes = 200 * megabyte;
/** SQLite's write-ahead log alone could fill this space. */
const fullBytes = 20 * megabyte;
/** A sentence names at most this many ids. */
const maxNamed = 10;

/** `storage` can be read, but throws at each write. `unread` has the servers whose record is malformed. */
export type Kept = Awaited<ReturnType<typeof readGuilds>>;

const bytes = (count: number) =>
  count < 1e9 ? `${Math.floor(count / megabyte)} MB` : `${(count / 1e9).toFixed(1)} GB`;

/** Whether the storage can be reached, read and written to, and has enough free space. */
export async function checkStorage(url: string): Promise<Examined<Kept>> {
  const path = sqlitePath(url);
  const place = storagePlace(url);
  if (url === "sqlite://:memory:") {
    const remedy = "give STORAGE_URL a file, such as sqlite://data/shopbell.sqlite";
    return { results: [warn("everything is kept in memory, and lost when the bot ends", remedy)] };
  }
  try {
    const { storage, problem, freeBytes } = await inspectStorage(url);
    const room = judgeRoom(freeBytes);
    const value = storage && (await readGuilds(storage));
    if (problem !== undefined) return { value, results: [fromLine("wrong", problem), ...room] };
    if (storage === undefined) {
      const remedy = "if the bot has run before: run this in its directory, or correct STORAGE_URL";
      return { results: [warn(`${place} is not there yet; the first start makes it`, remedy), ...room] };
    }
    const says = `${place} can be read and written to${freeBytes === undefined ? "" : `, ${bytes(freeBytes)} free`}`;
    const data = await judgeData(storage, value);
    const results = data.state === "ok" ? [ok(`${says}; ${data.says}`)] : [ok(says), data];
    return { value, results: [...results, ...room] };
  } catch (error) {
    const remedy = `${path === undefined ? "" : "run this as the bot's user in its directory; "}${storageRemedy(error)}`;
    return { results: [wrong(`${place} cannot be read (${printable(storageReason(error), 200)})`, remedy)] };
  }
}

/** If there are servers but no record of the data, Shopbell 0.1.0 wrote the data (version 1). */
async function judgeData(storage: Storage, kept: Kept | undefined): Promise<Result> {
  const record = await dataRecord.read(storage);
  if (record === undefined && !kept?.guilds.length && !kept?.unread.length) return ok("it has no data yet");
  const { version, shopbell, importOf } = record ?? { version: 1, shopbell: "0.1.0" };
  const of = `data of version ${version} (Shopbell ${printable(shopbell, 20)})`;
  if (importOf !== undefined) {
    return wrong(`${of}; an import into it was cut short`, "run npm run import again with the same file");
  }
  const known = dataVersion;
  if (version <= known) return ok(version < known ? `${of}, which the next start brings to version ${known}` : of);
  const remedy = "update Shopbell, or restore a backup of before: this version does not start with it";
  return wrong(`${of}; this Shopbell knows version ${known}`, remedy);
}

function judgeRoom(freeBytes = Number.POSITIVE_INFINITY): Result[] {
  if (freeBytes >= scantBytes) return [];
  const says = `${bytes(freeBytes)} are free on its disk`;
  const remedy = "make room: when the disk is full no alert is sent, and none is lost";
  return [freeBytes < fullBytes ? wrong(says, remedy) : warn(says, remedy)];
}

async function readGuilds(storage: Storage) {
  const guilds: Guild[] = [];
  const unread: string[] = [];
  for await (const { key: id, value: kept } of storage.table(guildsTable).rows()) {
    if ("settings" in kept && kept.id === id) guilds.push(kept);
    else unread.push(id);
  }
  return { storage, guilds, unread };
}

/** Undefined if there is no token, or if no key opens it. */
export function tokenOf({ id, token }: Guild, vault: Vault | undefined): string | undefined {
  try {
    return token && vault?.open(token.sealed, id);
  } catch (error) {
    if (error instanceof VaultError) return undefined;
    throw error;
  }
}

/** Whether the keys exist and open every token. */
export async function checkKeys(secretKeys: string | undefined, { guilds, unread }: Kept): Promise<Examined<Vault>> {
  const sealed = guilds.filter(({ token }) => token !== undefined);
  const broken = unread.map((server) => ({
    ...wrong("its record cannot be understood", "restore a backup, or /store disconnect and /store connect"),
    server,
  }));
  try {
    const keys = await findSecretKeys(secretKeys, secretKeyFile);
    const vault = keys && createVault(keys);
    return { value: vault, results: [...judgeTokens(sealed, vault), ...broken] };
  } catch (error) {
    return { results: [fromLine("wrong", printable(reasonOf(error), 300)), ...broken] };
  }
}

function judgeTokens(sealed: readonly Guild[], vault: Vault | undefined): Result[] {
  if (vault === undefined) {
    if (sealed.length === 0) return [ok(`${secretKeyFile} is made at the first start`)];
    const says = `${secretKeyFile} is not there, and ${sealed.length} servers' tokens need it`;
    const remedy = "put it back from its copy, before the bot starts and makes a new one that opens none of them";
    return [wrong(says, remedy)];
  }
  const results: Result[] = [];
  const unopened = sealed.filter((guild) => tokenOf(guild, vault) === undefined);
  const lost = unopened.map(({ id }) => id);
  const older = sealed.filter(({ token }) => token && !vault.isCurrent(token.sealed)).length - lost.length;
  if (lost.length === 0) results.push(ok(`every API token can be opened (${sealed.length})`));
  else {
    const more = lost.length > maxNamed ? ` and ${lost.length - maxNamed} more` : "";
    const names = `${lost.slice(0, maxNamed).join(", ")}${more}`;
    const needed = new Set(unopened.map(({ token }) => printable(keyIdIn(token?.sealed ?? ""), 8)));
    const keys = `they need the key with the id ${[...needed].slice(0, maxNamed).join(", ")}, and here are ${vault.keyIds.join(", ")}`;
    const says = `no key opens the API token of ${lost.length} of ${sealed.length} servers: ${names} (${keys})`;
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

/** Checks whether a process polls on this storage. A gateway has no lease, so this check cannot see a gateway. */
export async function checkBot(storage: Storage, role: Config["role"]): Promise<Result> {
  const who = role === "all" ? "bot" : "worker";
  if (await hasPoller(storage)) {
    const other = "; a gateway (ROLE=gateway) has to answer people, which is not seen from here";
    return ok(`a ${who} runs on this storage${role === "worker" ? other : ""}`);
  }
  const start = role === "all" ? "npm start" : "npm start, with ROLE=worker";
  return warn(
    `no ${who} polls on this storage, so no alerts are sent`,
    `if one runs, see its log; if not, start one: ${start}`,
  );
}
