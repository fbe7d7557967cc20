import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
let tree: string;

async function start() {
  tree = await mkdtemp(join(tmpdir(), "shopbell-floors-"));
  for (const file of [".dependency-cruiser.mjs", "tsconfig.json", "package.json", "test/sandbox/package.json"]) {
    await cp(join(root, file), join(tree, file));
  }
  await symlink(join(root, "node_modules"), join(tree, "node_modules"));
  await plant("src/alerts/low.ts", "export const low = 1;");
}
const end = () => rm(tree, { recursive: true, force: true });

async function plant(file: string, text: string) {
  await mkdir(dirname(join(tree, file)), { recursive: true });
  await writeFile(join(tree, file), text);
}

/** @param folder what is read */
async function verdict(folder: string): Promise<string> {
  const cruiser = join(root, "node_modules/.bin/depcruise");
  const args = [cruiser, "--config", ".dependency-cruiser.mjs", folder];
  return run(process.execPath, args, { cwd: tree }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

it("passes a tree that keeps to the floors, having read it", async () => {
  await start();
  await plant("src/discord/high.ts", 'import { low } from "../alerts/low.ts";\nexport const high = low;');
  expect(await verdict("src")).toMatch(/no dependency violations found \(2 modules, 1 dependencies cruised\)/);
  await end();
});

const cases = [
  [
    "an import upward",
    "src/views/bad1.ts",
    'import { low } from "../alerts/low.ts";\nexport const bad = low;',
    "floor-3-views",
  ],
  [
    "a type imported upward",
    "src/guilds/bad2.ts",
    'import type { low } from "../alerts/low.ts";\nexport type Bad = typeof low;',
    "floor-2-guilds",
  ],
  [
    "rooms of one floor that know each other",
    "src/storage/bad3.ts",
    'import "../operations/log.ts";\n',
    "floor-1-storage",
  ],
  [
    "a library outside its room",
    "src/views/bad4.ts",
    'import { request } from "undici";\nexport const bad = request;',
    "library-undici",
  ],
  [
    "a development tool in the product",
    "src/views/bad5.ts",
    'import fc from "fast-check";\nexport const bad = fc;',
    "no-dev-in-product",
  ],
  [
    "a sandbox that knows the product",
    "test/sandbox/bad6.ts",
    'import { low } from "../../src/alerts/low.ts";\nexport const bad = low;',
    "sandbox-is-a-package",
  ],
  [
    "a sandbox that knows its tests",
    "test/sandbox/bad7.ts",
    'import { high } from "../unit/high.ts";\nexport const bad = high;',
    "sandbox-is-a-package",
  ],
  [
    "a package in the sandbox that its package.json does not list",
    "test/sandbox/bad8.ts",
    'import fc from "fast-check";\nexport const bad = fc;',
    "sandbox-lists-its-packages",
  ],
  [
    "a benchmark that imports a unit test's file",
    "test/bench/bad9.ts",
    'import { high } from "../unit/high.ts";\nexport const bad = high;',
    "tests-share-by-support",
  ],
] as const;

describe("a tree that breaks them", () => {
  let said = "";
  beforeAll(async () => {
    await start();
    await plant("src/operations/log.ts", "export const log = 1;");
    await plant("test/unit/high.ts", "export const high = 1;");
    for (const [, file, text] of cases) await plant(file, text);
    said = (await Promise.all(["src", "test"].map(verdict))).join("\n");
  }, 60_000);
  afterAll(end);

  it.each(cases)("is refused for %s", (_, file, __, rule) => {
    expect(said).toContain(`error ${rule}: ${file}`);
  });
});
