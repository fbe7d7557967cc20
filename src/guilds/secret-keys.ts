import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, reasonOf } from "../basics/reason.ts";
import { isSecretKey } from "../basics/secret-key.ts";
import { syncDirectory } from "../basics/sync-file.ts";
import { databaseFiles } from "../storage/sqlite-path.ts";

/** Made if no key is configured. The path is relative to the working directory. */
export const secretKeyFile = "data/secret.key";

/** Paths of the settings, the keys, the database, and of their folders (except the working directory). */
export const secretFiles = (storageUrl: string): string[] => [
  ...new Set([".env", dirname(secretKeyFile), secretKeyFile, ...databaseFiles(storageUrl)]),
];

/** `message` is a line for the operator. */
export class SecretKeyError extends Error {}

const keyBytes = 32;

function parseKeys(text: string, source: string): Buffer[] {
  const parts = text.split(",").map((part) => part.trim());
  return parts.map((part) => {
    if (!isSecretKey(part))
      throw new SecretKeyError(
        `${source} must have base64 keys of 32 bytes, separated by commas; put the right key back: a new one opens no saved API token`,
      );
    return Buffer.from(part, "base64");
  });
}

async function readKeys(file: string): Promise<Buffer[] | undefined> {
  try {
    return parseKeys(await readFile(file, "utf8"), file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function createKey(file: string): Promise<void> {
  const directory = dirname(file);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  try {
    const key = `${randomBytes(keyBytes).toString("base64")}\n`;
    await writeFile(draft, key, { flag: "wx", mode: 0o600, flush: true });
    // A link fails if another process has just created a key, but a rename would replace that key. FAT and exFAT have no links.
    await link(draft, file).catch(async (error: unknown) => {
      if (codeOf(error) !== "EEXIST") await rename(draft, file);
    });
  } finally {
    await rm(draft, { force: true });
  }
  syncDirectory(directory);
}

async function orExplain<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SecretKeyError) throw error;
    throw new SecretKeyError(
      `${file} cannot be read or made (${reasonOf(error)}); let the user of the bot read it, and write its directory`,
    );
  }
}

/**
 * Returns keys of 32 bytes, from `configured` (base64, comma separated) if it is set, otherwise from `file`. Undefined if
 * neither exists. Throws a {@link SecretKeyError} if the keys cannot be read.
 */
export async function findSecretKeys(configured: string | undefined, file: string): Promise<Buffer[] | undefined> {
  return configured ? parseKeys(configured, "SECRET_KEYS") : orExplain(file, () => readKeys(file));
}

/**
 * If there is no key, writes a random one to `file`. Processes that start at the same time get the same key, except on a disk
 * without links.
 */
export async function loadSecretKeys(configured: string | undefined, file: string): Promise<Buffer[]> {
  const found = await findSecretKeys(configured, file);
  if (found !== undefined) return found;
  await orExplain(file, () => createKey(file));
  const made = await readKeys(file);
  if (made === undefined)
    throw new SecretKeyError(`${file} was made and is not there; is it a link to a missing file?`);
  return made;
}
