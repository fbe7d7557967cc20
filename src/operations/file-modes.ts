import { stat } from "node:fs/promises";

const groupBits = 0o070;
const otherBits = 0o007;
/** The mode bit of directories that all users share on purpose, such as /tmp. */
const sticky = 0o1000;

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

async function lineOf(path: string, user: number): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  const isOwn = found.uid === user;
  const isShared = found.isDirectory() && (!isOwn || (found.mode & sticky) !== 0);
  // This process may be able to read another user's file only through the group, so the group's permissions are right
  // there.
  if (isShared || (found.mode & (isOwn ? groupBits | otherBits : otherBits)) === 0) return undefined;
  const mode = found.isDirectory() ? "700" : isOwn ? "600" : "o=";
  return `${path} is open to other users of this machine; this closes it: chmod ${mode} ${quoted(path)}`;
}

/**
 * Describes the files and directories that the group or others may read or change: a line for each, with the command
 * that corrects it. Missing files and other users' directories are left out. Windows has no such modes, so there the
 * list is empty.
 */
export async function looseFiles(paths: readonly string[], user = process.getuid?.()): Promise<string[]> {
  if (user === undefined) return [];
  const lines = await Promise.all(paths.map((path) => lineOf(path, user)));
  return lines.flatMap((line) => line ?? []);
}
