import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** After this, the content survives a power failure. */
export async function syncFile(path: string): Promise<void> {
  // Windows syncs a file only through a handle that may write.
  const handle = await open(path, "r+");
  await handle.sync();
  await handle.close();
}

/** After this, the names of the directory's files survive a power failure. Does nothing on Windows, which cannot do this. */
export function syncDirectory(path: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(path, "r");
  fsyncSync(handle);
  closeSync(handle);
}

/**
 * Gives the finished file `part` its name `to`. After this, the name survives a power failure. Throws if `to` exists. Makes no
 * link, because FAT, exFAT and some network drives have no links.
 */
export async function nameFile(part: string, to: string): Promise<void> {
  if (existsSync(to)) throw new Error(`${to} exists already`);
  await rename(part, to);
  syncDirectory(dirname(to));
}
