import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { looseFiles } from "../../../src/operations/file-modes.ts";
import { databaseFiles } from "../../../src/storage/sqlite-path.ts";
import { useDirectory } from "../../support/use-directory.ts";

const pathOf = useDirectory();

async function made(name: string, mode: number): Promise<string> {
  const path = pathOf(name);
  await writeFile(path, "secret");
  await chmod(path, mode);
  return path;
}

const commandIn = (line: string | undefined) => line?.split("this closes it: ")[1] ?? "";

describe.skipIf(process.platform === "win32")("files that others may open", () => {
  it.each([0o640, 0o604, 0o777])("are named, with the command against it: %i", async (mode) => {
    const path = await made("it's a .env", mode);
    const lines = await looseFiles([path, await made("a", 0o600), await made("b", 0o400), pathOf("none")]);
    expect(lines).toEqual([expect.stringContaining(`${path} is open to other users`)]);

    await promisify(execFile)("/bin/sh", ["-c", commandIn(lines[0])]);
    expect(await looseFiles([path])).toEqual([]);
  });

  it("may be directories in which others may replace files, but not those that all may read, or share on purpose", async () => {
    const [open, shared, readable] = [pathOf("open"), pathOf("shared"), pathOf("readable")];
    for (const [path, mode] of [
      [open, 0o757],
      [shared, 0o1777],
      [readable, 0o755],
    ] as const) {
      await mkdir(path);
      await chmod(path, mode);
    }

    expect((await looseFiles([open, shared, readable])).map(commandIn)).toEqual([`chmod o-w '${open}'`]);
  });

  it("of another user may be open to the group, which may be that of this process, but not to others", async () => {
    const another = (process.getuid?.() ?? 0) + 1;
    const [grouped, open] = [await made("grouped", 0o640), await made("open", 0o644)];
    await chmod(pathOf(), 0o755);
    expect((await looseFiles([grouped, open, pathOf()], another)).map(commandIn)).toEqual([`chmod o= '${open}'`]);
  });
});

it.each([
  [
    "sqlite://data/shopbell.sqlite",
    "data,data/shopbell.sqlite,data/shopbell.sqlite-wal,data/shopbell.sqlite-shm,data/shopbell.sqlite-journal",
  ],
  ["sqlite:///var/lib/x", "/var/lib,/var/lib/x,/var/lib/x-wal,/var/lib/x-shm,/var/lib/x-journal"],
  ["sqlite://here.sqlite", "here.sqlite,here.sqlite-wal,here.sqlite-shm,here.sqlite-journal"],
  ["sqlite://:memory:", ""],
  ["redis://localhost", ""],
])("the database %s has the files %s", (url, files) => {
  expect(databaseFiles(url).join()).toBe(files);
});
