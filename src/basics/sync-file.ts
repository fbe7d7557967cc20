import { open } from "node:fs/promises";

/** Writes what the system still buffers of a file or directory to the disk, so that it survives a power failure. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync();
  await handle.close();
}
