import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { looseFiles } from "../../src/operations/file-modes.ts";
import { databaseFiles } from "../../src/storage/sqlite-path.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "shopbell modes-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function made(name: string, mode: number): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, "secret");
  await chmod(path, mode);
  return path;
}

const commandIn = (line: string | undefined) => line?.split("this closes it: ")[1] ?? "";

describe.skipIf(process.platform === "win32")("files that others may open", () => {
  it.each([0o640, 0o604, 0o777])("are named, with the command against it: %i", async (mode) => {
    const path = await made("it's a .env", mode);
    const lines = await looseFiles([path]);
    expect(lines).toEqual([expect.stringContaining(`${path} is open to other users`)]);

    await promisify(execFile)("/bin/sh", ["-c", commandIn(lines[0])]);
    expect(await looseFiles([path])).toEqual([]);
  });

  it("are not reported if only their owner may open them, or if they do not exist", async () => {
    expect(await looseFiles([await made("a", 0o600), await made("b", 0o400), join(directory, "none")])).toEqual([]);
  });

  it("may be directories, but not those that all users share on purpose", async () => {
    const [open, shared] = [join(directory, "open"), join(directory, "shared")];
    await mkdir(open, { mode: 0o755 });
    await mkdir(shared);
    await chmod(shared, 0o1777);
    const lines = await looseFiles([open, shared]);

    expect(lines).toHaveLength(1);
    expect(commandIn(lines[0])).toBe(`chmod 700 '${open}'`);
  });

  it("of another user may be open to the group, which may be that of this process, but not to others", async () => {
    const another = (process.getuid?.() ?? 0) + 1;
    const [grouped, open] = [await made("grouped", 0o640), await made("open", 0o644)];
    await chmod(directory, 0o755);
    const lines = await looseFiles([grouped, open, directory], another);
    expect(lines.map(commandIn)).toEqual([`chmod o= '${open}'`]);
  });
});

describe("the files of a database", () => {
  it.each([
    ["sqlite://data/shopbell.sqlite", ["data", ...["", "-wal", "-shm"].map((end) => `data/shopbell.sqlite${end}`)]],
    ["sqlite:///var/lib/x", ["/var/lib", ...["", "-wal", "-shm"].map((end) => `/var/lib/x${end}`)]],
    ["sqlite://here.sqlite", ["", "-wal", "-shm"].map((end) => `here.sqlite${end}`)],
    ["sqlite://:memory:", []],
    ["redis://localhost", []],
  ])("of %s", (url, files) => {
    expect(databaseFiles(url)).toEqual(files);
  });
});
