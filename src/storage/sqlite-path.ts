import { dirname } from "node:path";

/** Returns the file of a storage address. Undefined if the address is a server or memory. */
export const sqlitePath = (url: string): string | undefined => /^sqlite:\/\/(?!:memory:$)(.+)$/.exec(url)?.[1];

/** Suffixes of the files that SQLite may write next to a database file. A crash may leave them there. */
export const sideFileSuffixes = ["-wal", "-shm", "-journal"] as const;

/**
 * Returns the files of a storage address, and their directory. The directory is left out if it is the working directory,
 * because that is the folder of the code.
 */
export function databaseFiles(url: string): string[] {
  const path = sqlitePath(url);
  if (path === undefined) return [];
  const files = [path, `${path}-wal`, `${path}-shm`];
  return dirname(path) === "." ? files : [dirname(path), ...files];
}
