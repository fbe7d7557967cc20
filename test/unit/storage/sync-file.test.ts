import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSecretKeys } from "../../../src/guilds/secret-keys.ts";
import { copySqlite } from "../../../src/storage/copy-sqlite.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { stored } from "../../support/stored.ts";
import { useDirectory } from "../../support/use-directory.ts";

const log = { warn: () => undefined };
const notPermitted = () => Object.assign(new Error("EPERM: operation not permitted, fsync"), { code: "EPERM" });

/**
 * Windows writes to the disk (`FlushFileBuffers`) only for handles that may write, and Node opens no such handle for a
 * directory (https://github.com/nodejs/node/issues/3879).
 */
describe("on Windows", () => {
  const pathOf = useDirectory();
  const { openSync, fsyncSync } = fs;
  const { open } = promises;
  const { platform } = process;
  const be = (name: NodeJS.Platform) => Object.defineProperty(process, "platform", { value: name });

  beforeEach(() => {
    const reading = new Set<number>();
    Object.assign(fs, {
      openSync(...args: Parameters<typeof openSync>) {
        const file = openSync(...args);
        if (args[1] === "r") reading.add(file);
        else reading.delete(file);
        return file;
      },
      fsyncSync(file: number) {
        if (reading.has(file)) throw notPermitted();
        fsyncSync(file);
      },
    });
    Object.assign(promises, {
      async open(...args: Parameters<typeof open>) {
        const handle = await open(...args);
        return args[1] === "r" ? Object.assign(handle, { sync: () => Promise.reject(notPermitted()) }) : handle;
      },
    });
    syncBuiltinESMExports();
    be("win32");
  });
  afterEach(() => {
    Object.assign(fs, { openSync, fsyncSync });
    Object.assign(promises, { open });
    syncBuiltinESMExports();
    be(platform);
  });

  it("the first start makes a key and a database", async () => {
    expect(await loadSecretKeys(undefined, pathOf("data", "secret.key"))).toHaveLength(1);

    const storage = await openStorage(`sqlite://${pathOf("new", "shopbell.sqlite")}`, log);
    await storage.close();
  });

  it("a database is copied, for a backup and before its conversion", async () => {
    const [from, to] = [pathOf("shopbell.sqlite"), pathOf("copy.sqlite")];
    fs.writeFileSync(from, "");
    const storage = await openStorage(`sqlite://${from}`, log);
    await storage.table(stored("guilds")).set("1", "kept");
    await copySqlite(from, to);
    await storage.close();

    const copy = new DatabaseSync(to, { readOnly: true });
    expect(copy.prepare("SELECT key FROM shopbell WHERE namespace = 'guilds'").all()).toEqual([{ key: "1" }]);
    copy.close();
  });
});
