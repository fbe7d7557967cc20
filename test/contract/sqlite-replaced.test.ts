import fs, { mkdtempSync, renameSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSqliteFile } from "../../src/storage/sqlite-file.ts";

/** Calls `next` once, right after the next `statSync` of this process. */
function afterNextStat(next: () => void): void {
  const { statSync } = fs;
  const replaceBy = (replacement: (path: string) => unknown) => {
    Object.assign(fs, { statSync: replacement });
    syncBuiltinESMExports();
  };
  replaceBy((path) => {
    replaceBy(statSync);
    const found = statSync(path);
    next();
    return found;
  });
}

it("writes nothing of the old log into a new file that replaces the file right after the check", () => {
  const directory = mkdtempSync(join(tmpdir(), "shopbell-replaced-"));
  const path = join(directory, "data.sqlite");
  const file = openSqliteFile(path, () => {});
  file.run((run) => run("CREATE TABLE rows (name TEXT)"));
  file.run((run) => run("VACUUM INTO ?", `${path}.copy`));
  file.run((run) => run("INSERT INTO rows VALUES ('lost')"));

  afterNextStat(() => renameSync(`${path}.copy`, path));
  file.emptyLog();
  for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });

  expect(file.run((run) => run("SELECT * FROM rows"))).toEqual([]);

  file.close();
  rmSync(directory, { recursive: true });
});
