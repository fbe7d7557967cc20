import { once } from "node:events";
import { link, open, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { copyMark, newCopyMark } from "./data-record.ts";
import { openStorage } from "./open-storage.ts";
import { sideFileSuffixes } from "./sqlite-path.ts";
import { syncFile } from "./sync-file.ts";
import type { WholeStorage } from "./table.ts";

const progressEveryMs = 1_000;

const sizeOf = async (path: string) => (await stat(path).catch(() => undefined))?.size ?? 0;

/** @param progress bytes written and, roughly, to be written */
async function vacuumInto(from: string, to: string, progress: (done: number, all: number) => void): Promise<void> {
  const all = (await sizeOf(from)) + (await sizeOf(`${from}-wal`));
  const worker = new Worker(new URL("./vacuum-into.ts", import.meta.url), { workerData: { from, to } });
  const telling = setInterval(() => void sizeOf(to).then((done) => progress(done, all)), progressEveryMs);
  try {
    // An error in it rejects here.
    await once(worker, "exit");
  } finally {
    clearInterval(telling);
  }
}

/**
 * Copies the database file `from`, as it stands at one moment, to the new file `to` (mode 0600), also while other processes
 * write: they wait for nothing, and what they write meanwhile is not in it. `VACUUM INTO` reads in one transaction, where
 * SQLite's page by page backup begins again at each write of another process; and it leaves out pages that are free. The
 * copy says of itself that it is one, and when it was made. Rejects, and leaves no file, where `to` exists already.
 *
 * @param change what becomes of the copy before it is there
 */
export async function copySqlite(
  from: string,
  to: string,
  progress: (done: number, all: number) => void = () => undefined,
  change: (copy: WholeStorage) => Promise<void> = async () => undefined,
): Promise<void> {
  const part = `${to}.part`;
  const clear = async () => {
    for (const end of ["", ...sideFileSuffixes]) await rm(part + end, { force: true });
  };
  // What an earlier attempt left that was cut short: SQLite would take its journal for this one's.
  await clear();
  await (await open(part, "wx", 0o600)).close();
  try {
    const copiedAt = Date.now();
    await vacuumInto(from, part, progress);
    const copy = await openStorage(`sqlite://${part}`, { warn: () => undefined });
    await change(copy);
    await copyMark.write(copy, newCopyMark(await copyMark.read(copy), copiedAt));
    await copy.close();
    await syncFile(part);
    // Unlike a rename, a link never takes the place of another file.
    await link(part, to);
    await syncFile(dirname(to));
  } finally {
    await clear();
  }
}
