import { dirname } from "node:path";

/** Returns the path in a storage address. Undefined if the address is not that of a file. */
export const sqlitePath = (url: string): string | undefined => /^sqlite:\/\/(?!:memory:$)(.+)$/.exec(url)?.[1];

/** Suffixes of the files that SQLite may write next to a database file. A crash may leave such files. */
export const sideFileSuffixes = ["-wal", "-shm", "-journal"] as const;

/**
 * Returns the database files and their directory. The working directory is left out: it has the code, which others may read.
 */
export function databaseFiles(url: string): string[] {
  const path = sqlitePath(url);
  if (path === undefined) return [];
  const files = [path, `${path}-wal`, `${path}-shm`];
  return dirname(path) === "." ? files : [dirname(path), ...files];
}
