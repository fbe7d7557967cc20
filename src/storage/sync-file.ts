import { open } from "node:fs/promises";

/** Makes the file at `path`, a file or a directory, last through a power cut. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync();
  await handle.close();
}
