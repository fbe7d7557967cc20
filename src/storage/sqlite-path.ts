import { dirname } from "node:path";

/** The file of a storage address; undefined if the address names a server, or memory. */
export const sqlitePath = (url: string): string | undefined => /^sqlite:\/\/(?!:memory:$)(.+)$/.exec(url)?.[1];

/** Suffixes of the files that SQLite may write next to a database file, and leave there after a crash. */
export const sideFileSuffixes = ["-wal", "-shm", "-journal"] as const;

/**
 * The files of a storage address, with their directory. A database in the working directory comes without it, because that is the
 * folder of the code.
 */
export function databaseFiles(url: string): string[] {
  const path = sqlitePath(url);
  if (path === undefined) return [];
  const files = [path, `${path}-wal`, `${path}-shm`];
  return dirname(path) === "." ? files : [dirname(path), ...files];
}
