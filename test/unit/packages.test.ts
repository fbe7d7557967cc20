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
      optionalDependencies: names,
      peerDependencies: names,
    }),
  ),
});
type Lock = z.infer<typeof lockSchema>;

const documented = read("docs/dependencies.md");
const locked = lockSchema.parse(JSON.parse(read("package-lock.json")));

const nameOf = (place: string) => place.replace(/^.*node_modules\//, "");
const sorted = (found: Iterable<string>) => [...new Set(found)].sort();

/** Places of all packages that `npm ci --omit=dev` installs; a package is there twice where two versions are needed. */
const installed = ({ packages }: Lock) =>
  Object.keys(packages).filter((place) => place !== "" && !packages[place]?.dev);

/** Where Node finds `name` from `place`: the nearest `node_modules` upwards. */
function resolve({ packages }: Lock, place: string, name: string): string | undefined {
  for (let from = place; ; from = from.slice(0, Math.max(from.lastIndexOf("/node_modules/"), 0))) {
    const candidate = from === "" ? `node_modules/${name}` : `${from}/node_modules/${name}`;
    if (packages[candidate] !== undefined) return candidate;
    if (from === "") return undefined;
  }
}

/** Names of all that a package brings with it. */
function broughtBy(lock: Lock, name: string): string[] {
  const places = new Set([`node_modules/${name}`]);
  for (const place of places) {
    const { dependencies, optionalDependencies, peerDependencies } = lock.packages[place] ?? {};
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = resolve(lock, place, needed);
      if (found !== undefined) places.add(found);
    }
  }
  places.delete(`node_modules/${name}`);
  return sorted([...places].map(nameOf));
}

const directOf = (lock: Lock) => sorted(Object.keys(lock.packages[""]?.dependencies ?? {}));

interface Row {
  readonly name: string;
  readonly reason: string;
  readonly brings: readonly string[];
}

const codes = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

/** The rows of the table "| `name` | reason | what it brings |". */
function rowsOf(text: string): Row[] {
  const rows = text.matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$/gm);
  return [...rows].map(([, name = "", reason = "", brings = ""]) => ({ name, reason, brings: codes(brings) }));
}

const listOf = (text: string) => /```text\n(.*?)\n```/s.exec(text)?.[1]?.split("\n") ?? [];

/** What a lock file and the document do not agree on; nothing where they do. */
function differences(lock: Lock, text: string): string[] {
  const rows = rowsOf(text);
  const listed = listOf(text);
  const all = sorted(installed(lock).map(nameOf));
  const direct = directOf(lock);
  const compare = (what: string, wanted: readonly string[], found: readonly string[]) => [
    ...wanted.filter((name) => !found.includes(name)).map((name) => `${what} lacks ${name}`),
    ...found.filter((name) => !wanted.includes(name)).map((name) => `${what} has ${name}`),
  ];
  const named = rows.map(({ name }) => name);
  return [
    ...compare("the list", all, listed),
    ...compare("the table", direct, named),
    ...rows.flatMap(({ name, brings }) => compare(`the row of ${name}`, broughtBy(lock, name), brings)),
    ...(new Set(listed).size === listed.length ? [] : ["the list names a package twice"]),
    ...(new Set(named).size === named.length ? [] : ["the table names a package twice"]),
  ];
}

const withPackage = (place: string, entry: object): Lock =>
  lockSchema.parse({ packages: { ...locked.packages, [place]: entry } });

const scriptsOf = (lock: Lock) => installed(lock).filter((place) => lock.packages[place]?.hasInstallScript);

describe("production packages", () => {
  it("are those that docs/dependencies.md names, each direct one with its reason and what it brings", () => {
    expect(differences(locked, documented)).toEqual([]);
    for (const { name, reason } of rowsOf(documented)) expect(reason.trim().length, name).toBeGreaterThan(20);
  });

  it("run no script when they are installed (0.1.0: better-sqlite3 did)", () => {
    expect(scriptsOf(locked)).toEqual([]);
    expect(scriptsOf(withPackage("node_modules/extra", { hasInstallScript: true }))).toEqual(["node_modules/extra"]);
  });

  it("do not change unnoticed: one that came or went, or is brought by another, is told", () => {
    expect(differences(withPackage("node_modules/extra", {}), documented)).toEqual(["the list lacks extra"]);
    expect(differences(withPackage("node_modules/extra", { dev: true }), documented)).toEqual([]);

    const { zod: _, ...others } = locked.packages[""]?.dependencies ?? {};
    expect(differences(withPackage("", { dependencies: others }), documented)).toEqual(["the table has zod"]);

    const keyv = { ...locked.packages["node_modules/keyv"], dependencies: { hookified: "*", zod: "*" } };
    expect(differences(withPackage("node_modules/keyv", keyv), documented)).toContain("the row of keyv lacks zod");
    expect(differences(locked, documented.replace("\nzod\n", "\n"))).toEqual(["the list lacks zod"]);
  });
});
