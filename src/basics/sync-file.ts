import { closeSync, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";

/** After this, the content survives a power failure. */
export async function syncFile(path: string): Promise<void> {
  // Windows syncs a file only through a handle that may write.
  const handle = await open(path, "r+");
  await handle.sync();
  await handle.close();
}

/**
 * After this, the names of the directory's files survive a power failure. Does nothing on Windows, which cannot sync a
 * directory.
 */
export function syncDirectory(path: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(path, "r");
  fsyncSync(handle);
  closeSync(handle);
}
