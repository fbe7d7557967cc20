import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dev: z.boolean().default(false),
      hasInstallScript: z.boolean().default(false),
      dependencies: z.record(z.string(), z.string()).default({}),
    }),
  ),
});
const { packages } = lockSchema.parse(JSON.parse(read("package-lock.json")));
const { allowScripts } = z
  .object({ allowScripts: z.record(z.string(), z.boolean()) })
  .parse(JSON.parse(read("package.json")));

const nameOf = (place: string) => place.replace(/^.*node_modules\//, "");
/** As `npm ci --omit=dev` installs. A package has two places if two versions are needed. */
const installed = Object.entries(packages).filter(([place, { dev }]) => place !== "" && !dev);

describe("production packages", () => {
  it("are those of the list, and each direct one has its reason in CONTRIBUTING.md", () => {
    const names = new Set(installed.map(([place]) => nameOf(place)));
    expect([...names].sort()).toEqual(read("test/unit/repository/installed-packages.txt").trim().split(/\s+/));

    const [, table = ""] = read("CONTRIBUTING.md").split("\n## Dependencies\n");
    const rows = [...table.matchAll(/^\| `([^`]+)` \| ([^|]{20,}) \|$/gm)].map(([, name]) => name);
    expect(rows).toEqual(Object.keys(packages[""]?.dependencies ?? {}).sort());
  });

  it("run no script when they are installed (0.1.0: better-sqlite3 did)", () => {
    const scripts = installed.filter(
      ([place, { hasInstallScript }]) => hasInstallScript && allowScripts[nameOf(place)] !== false,
    );
    expect(scripts).toEqual([]);
  });
});
