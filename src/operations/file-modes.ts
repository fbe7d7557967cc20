import { stat } from "node:fs/promises";

const otherBits = 0o007;
const groupAndOtherBits = 0o077;
const otherWriteBit = 0o002;
/** Set on directories that all users share on purpose, such as /tmp. */
const sticky = 0o1000;

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/**
 * Returns a line for each file that other users may read or change, and for each directory in which others may replace files.
 * The line has the command that corrects it. On Windows the list is empty, because Windows has no such modes.
 */
export async function looseFiles(paths: readonly string[], user = process.getuid?.()): Promise<string[]> {
  if (user === undefined) return [];
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return paths.flatMap((path, index) => {
    const file = found[index];
    if (file === undefined) return [];
    const isOwn = file.uid === user;
    const isDirectory = file.isDirectory();
    if (isDirectory && (!isOwn || (file.mode & sticky) !== 0)) return [];
    // Other users may read a directory, but not change it. A file of another user may be open to its group, because this
    // process may be in that group.
    const bits = isDirectory ? otherWriteBit : isOwn ? groupAndOtherBits : otherBits;
    if ((file.mode & bits) === 0) return [];
    const mode = isDirectory ? "o-w" : isOwn ? "600" : "o=";
    return `${path} is open to other users of this machine; this closes it: chmod ${mode} ${quoted(path)}`;
  });
}
