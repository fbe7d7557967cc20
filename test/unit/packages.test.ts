import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const names = z.record(z.string(), z.string()).default({});
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dev: z.boolean().default(false),
      hasInstallScript: z.boolean().default(false),
      dependencies: names,
    }),
  ),
});
type Lock = z.infer<typeof lockSchema>;

const documented = read("CONTRIBUTING.md").split("\n## Dependencies\n")[1] ?? "";
const known = read("test/unit/installed-packages.txt")
  .split(/\s+/)
  .filter((name) => name !== "");
const locked = lockSchema.parse(JSON.parse(read("package-lock.json")));

const nameOf = (place: string) => place.replace(/^.*node_modules\//, "");
const sorted = (found: Iterable<string>) => [...new Set(found)].sort();

/** Places of all packages that `npm ci --omit=dev` installs; a package is there twice where two versions are needed. */
const installed = ({ packages }: Lock) =>
  Object.keys(packages).filter((place) => place !== "" && !packages[place]?.dev);

const directOf = (lock: Lock) => sorted(Object.keys(lock.packages[""]?.dependencies ?? {}));

/** The rows of the table "| `name` | reason |". */
const rowsOf = (text: string) =>
  [...text.matchAll(/^\| `([^`]+)` \| ([^|]+) \|$/gm)].map(([, name = "", reason = ""]) => ({ name, reason }));

/** Differences between a lock file and what was written down of it: the reasons in CONTRIBUTING.md, and the list of all packages. */
function differences(lock: Lock, text = documented, listed = known): string[] {
  const named = rowsOf(text).map(({ name }) => name);
  const compare = (what: string, wanted: readonly string[], found: readonly string[]) => [
    ...wanted.filter((name) => !found.includes(name)).map((name) => `${what} lacks ${name}`),
    ...found.filter((name) => !wanted.includes(name)).map((name) => `${what} has ${name}`),
  ];
  return [
    ...compare("the list", sorted(installed(lock).map(nameOf)), listed),
    ...compare("the table", directOf(lock), named),
    ...(new Set(listed).size === listed.length ? [] : ["the list names a package twice"]),
    ...(new Set(named).size === named.length ? [] : ["the table names a package twice"]),
  ];
}

const withPackage = (place: string, entry: object): Lock =>
  lockSchema.parse({ packages: { ...locked.packages, [place]: entry } });

const { allowScripts } = z
  .object({ allowScripts: z.record(z.string(), z.boolean()) })
  .parse(JSON.parse(read("package.json")));

/** Places of packages with a script that npm would run at the install. */
const scriptsOf = (lock: Lock) =>
  installed(lock).filter((place) => lock.packages[place]?.hasInstallScript && allowScripts[nameOf(place)] !== false);

describe("production packages", () => {
  it("are those of the list, each direct one with its reason in CONTRIBUTING.md", () => {
    expect(differences(locked)).toEqual([]);
    for (const { name, reason } of rowsOf(documented)) expect(reason.trim().length, name).toBeGreaterThan(20);
  });

  it("run no script when they are installed (0.1.0: better-sqlite3 did)", () => {
    expect(scriptsOf(locked)).toEqual([]);
    expect(scriptsOf(withPackage("node_modules/extra", { hasInstallScript: true }))).toEqual(["node_modules/extra"]);
  });

  it("do not change unnoticed: one that came or went is told", () => {
    expect(differences(withPackage("node_modules/extra", {}))).toEqual(["the list lacks extra"]);
    expect(differences(withPackage("node_modules/extra", { dev: true }))).toEqual([]);

    const { zod: _, ...others } = locked.packages[""]?.dependencies ?? {};
    expect(differences(withPackage("", { dependencies: others }))).toEqual(["the table has zod"]);

    expect(differences(locked, documented, known.slice(0, -1))).toEqual(["the list lacks zod"]);
  });
});
