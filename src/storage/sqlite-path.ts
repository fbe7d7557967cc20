import { dirname } from "node:path";

/** Returns the path in a storage address. Undefined if the storage is not a file. */
export const sqlitePath = (url: string): string | undefined => /^sqlite:\/\/(?!:memory:$)(.+)$/.exec(url)?.[1];

/** Suffixes of the files that SQLite may write next to a database file. A crash may leave such files. */
export const sideFileSuffixes = ["-wal", "-shm", "-journal"] as const;

/**
 * Returns the paths of the database files and of their directory. The working directory is left out, because its code is no
 * secret.
 */
export function databaseFiles(url: string): string[] {
  const path = sqlitePath(url);
  if (path === undefined) return [];
  const files = [path, `${path}-wal`, `${path}-shm`];
  return dirname(path) === "." ? files : [dirname(path), ...files];
}
