import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openSqliteFile } from "../../src/storage/sqlite-file.ts";

const looks = vi.hoisted(() => ({ after: () => {} }));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const statSync = (path: string) => {
    const found = fs.statSync(path);
    looks.after();
    return found;
  };
  return { ...fs, statSync };
});

it("takes nothing of an old log into a file that takes its place right after the look at it", () => {
  const directory = mkdtempSync(join(tmpdir(), "shopbell-replaced-"));
  const path = join(directory, "data.sqlite");
  const file = openSqliteFile(path, () => {});
  file.run((run) => run("CREATE TABLE rows (name TEXT)"));
  file.run((run) => run("VACUUM INTO ?", `${path}.copy`));
  file.run((run) => run("INSERT INTO rows VALUES ('lost')"));

  looks.after = () => {
    looks.after = () => {};
    renameSync(`${path}.copy`, path);
  };
  file.emptyLog();
  for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });

  expect(file.run((run) => run("SELECT * FROM rows"))).toEqual([]);

  file.close();
  rmSync(directory, { recursive: true });
});
