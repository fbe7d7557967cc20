import { randomBytes } from "node:crypto";
import promises, { mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { loadSecretKeys } from "../../../src/guilds/secret-keys.ts";
import { useDirectory } from "../../support/use-directory.ts";

describe("secret keys", () => {
  const pathOf = useDirectory();
  const load = (configured?: string) => loadSecretKeys(configured, pathOf("data", "secret.key"));

  it("are the configured ones, in order, and no file is created", async () => {
    const keys = [randomBytes(32), randomBytes(32)];
    const configured = keys.map((key) => key.toString("base64")).join(" , ");
    expect(await load(configured)).toEqual(keys);
    expect(await readdir(pathOf())).toEqual([]);
  });

  it("are created once, in a file for its owner only", async () => {
    const made = await load();
    expect(made).toHaveLength(1);
    expect(made[0]).toHaveLength(32);
    expect((await stat(pathOf("data", "secret.key"))).mode & 0o777).toBe(0o600);
    expect(await load("")).toEqual(made);
    expect(await readdir(pathOf("data"))).toEqual(["secret.key"]);
  });

  it("are the same for all callers that start at the same time", async () => {
    const starting: Promise<Buffer[]>[] = [];
    for (let count = 0; count < 50; count += 1) {
      starting.push(load());
      // Then the callers' steps alternate, as those of several processes do.
      await setImmediate();
    }
    const made = await Promise.all(starting);
    expect(new Set(made.map(([key]) => key?.toString("base64")))).toHaveLength(1);
    expect(await readdir(pathOf("data"))).toEqual(["secret.key"]);
  });

  it("are created on a disk without links, as with FAT or exFAT (before: EPERM)", async () => {
    const { link } = promises;
    const refuse = () => Promise.reject(Object.assign(new Error("EPERM"), { code: "EPERM" }));
    try {
      promises.link = refuse;
      syncBuiltinESMExports();
      expect(await load()).toEqual(await load());
    } finally {
      promises.link = link;
      syncBuiltinESMExports();
    }
    expect(await readdir(pathOf("data"))).toEqual(["secret.key"]);
  });

  it("cause one line of error if the file is a link to a missing file", async () => {
    await mkdir(pathOf("data"));
    await symlink(pathOf("missing.key"), pathOf("data", "secret.key"));

    await expect(load()).rejects.toThrow(/secret\.key was made and is not there; is it a link to a missing file\?$/);
    expect(await readdir(pathOf("data"))).toEqual(["secret.key"]);
  });

  it("cause one line of error if malformed, which shows no key", async () => {
    const good = randomBytes(32).toString("base64");
    for (const bad of ["short", `${good},`, `${good},${randomBytes(31).toString("base64")}`, ",", " "]) {
      const error = await load(bad).catch((caught: Error) => caught);
      expect(error).toBeInstanceOf(Error);
      expect(String(error)).toMatch(/^Error: SECRET_KEYS must have .*$/);
      expect(String(error)).not.toContain(good);
    }
    await load();
    await writeFile(pathOf("data", "secret.key"), "");

    await expect(load()).rejects.toThrow(/secret\.key must have .*$/);
  });
});
