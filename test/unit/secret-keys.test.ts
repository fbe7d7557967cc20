import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSecretKeys } from "../../src/guilds/secret-keys.ts";

describe("secret keys", () => {
  let directory: string;
  let file: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "shopbell-keys-"));
    file = join(directory, "data", "secret.key");
  });
  afterEach(() => rm(directory, { recursive: true }));

  it("are the configured ones, in order, and no file is created", async () => {
    const keys = [randomBytes(32), randomBytes(32)];
    const configured = keys.map((key) => key.toString("base64")).join(" , ");
    expect(await loadSecretKeys(configured, file)).toEqual(keys);
    expect(await readdir(directory)).toEqual([]);
  });

  it("are created once, in a file for its owner only", async () => {
    const made = await loadSecretKeys(undefined, file);
    expect(made).toHaveLength(1);
    expect(made[0]).toHaveLength(32);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await loadSecretKeys("", file)).toEqual(made);
    expect(await readdir(join(directory, "data"))).toEqual(["secret.key"]);
  });

  it("are the same for all callers that start at the same time", async () => {
    const starting: Promise<Buffer[]>[] = [];
    for (let count = 0; count < 50; count += 1) {
      starting.push(loadSecretKeys(undefined, file));
      // The steps of the callers then alternate, as those of several processes do.
      await setImmediate();
    }
    const made = await Promise.all(starting);
    expect(new Set(made.map(([key]) => key?.toString("base64")))).toHaveLength(1);
    expect(await readdir(join(directory, "data"))).toEqual(["secret.key"]);
  });

  it("cause one line of error if malformed, which shows no key", async () => {
    const good = randomBytes(32).toString("base64");
    for (const bad of ["short", `${good},`, `${good},${randomBytes(31).toString("base64")}`, ",", " "]) {
      const error = await loadSecretKeys(bad, file).catch((caught: Error) => caught);
      expect(error).toBeInstanceOf(Error);
      expect(String(error)).toMatch(/^Error: SECRET_KEYS must hold .*$/);
      expect(String(error)).not.toContain(good);
    }
    await loadSecretKeys(undefined, file);
    await writeFile(file, "");

    await expect(loadSecretKeys(undefined, file)).rejects.toThrow(/secret\.key must hold .*$/);
  });
});
