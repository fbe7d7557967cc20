import { rm } from "node:fs/promises";
import { dirname } from "node:path";

export const sqlitePath = (url: string): string | undefined => /^sqlite:\/\/(?!:memory:$)(.+)$/.exec(url)?.[1];

/** A crash may leave files with these names next to a database file. */
export const sideFiles = (path: string): string[] => ["-wal", "-shm", "-journal"].map((suffix) => path + suffix);

export async function removeDatabase(path: string): Promise<void> {
  for (const file of [path, ...sideFiles(path)]) await rm(file, { force: true });
}

/** The database's files, and their directory unless it is the working directory. */
export function databaseFiles(url: string): string[] {
  const path = sqlitePath(url);
  if (path === undefined) return [];
  const files = [path, ...sideFiles(path)];
  return dirname(path) === "." ? files : [dirname(path), ...files];
}
