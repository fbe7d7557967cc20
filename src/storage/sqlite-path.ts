import { dirname } from "node:path";

/** The file that a storage address names; undefined where it names a server, or memory. */
export const sqlitePath = (url: string): string | undefined => /^sqlite:\/\/(?!:memory:$)(.+)$/.exec(url)?.[1];

/** Ends of the names of the files that SQLite may write next to a database file, and leave there after a crash. */
export const sideFileSuffixes = ["-wal", "-shm", "-journal"] as const;

/** The files that a storage address names, with the directory, unless that is the working directory and holds the code. */
export function databaseFiles(url: string): string[] {
  const path = sqlitePath(url);
  if (path === undefined) return [];
  const files = [path, `${path}-wal`, `${path}-shm`];
  return dirname(path) === "." ? files : [dirname(path), ...files];
}
