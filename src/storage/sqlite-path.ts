import { dirname } from "node:path";

export const sqlitePath = (url: string): string | undefined => /^sqlite:\/\/(?!:memory:$)(.+)$/.exec(url)?.[1];

/** A crash may leave such files next to a database file. */
export const sideFileSuffixes = ["-wal", "-shm", "-journal"] as const;

/** The database's files, and their directory unless it is the working directory. */
export function databaseFiles(url: string): string[] {
  const path = sqlitePath(url);
  if (path === undefined) return [];
  const files = [path, `${path}-wal`, `${path}-shm`];
  return dirname(path) === "." ? files : [dirname(path), ...files];
}
