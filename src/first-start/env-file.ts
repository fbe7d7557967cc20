import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs";

/** Somebody else wrote the file meanwhile; it was left as it is. */
export class EnvFileExistsError extends Error {
  readonly code = "env_file_exists";

  constructor(path: string) {
    super(`${path} is there already`);
    this.name = "EnvFileExistsError";
  }
}

/** A hard link never takes another file's place; where the file system has none, a look and a rename have to do. */
function putInPlace(temporary: string, path: string) {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (existsSync(path)) throw new EnvFileExistsError(path);
    const { code } = error as NodeJS.ErrnoException;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EACCES", "EISDIR", "UNKNOWN"].includes(code ?? "")) throw error;
    renameSync(temporary, path);
  }
}

/**
 * Writes a `.env` that only its owner may open (mode 0600; Windows has no such modes). It is there whole or not at all:
 * nothing in here waits, so that no signal comes in between, and a file that exists is never touched.
 *
 * @param values one word each, without quotes or `#`
 * @throws EnvFileExistsError
 */
export function writeEnvFile(path: string, values: Readonly<Record<string, string>>): void {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(temporary, "wx", 0o600);
    try {
      writeSync(file, lines.join(""));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    putInPlace(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}
