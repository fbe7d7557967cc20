import { open } from "node:fs/promises";

/** Makes the system write a file or a directory to the disk now. After that, its content survives a power failure. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync();
  await handle.close();
}
