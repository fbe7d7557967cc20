import { execFile } from "node:child_process";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { useDirectory } from "../../support/use-directory.ts";

const root = resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);
const inTree = useDirectory();

async function plant(file: string, text: string) {
  await mkdir(dirname(inTree(file)), { recursive: true });
  await writeFile(inTree(file), text);
}

/** @param folder what is read */
async function verdict(folder: string): Promise<string> {
  const cruiser = join(root, "node_modules/.bin/depcruise");
  const args = [cruiser, "--config", ".dependency-cruiser.mjs", folder];
  return run(process.execPath, args, { cwd: inTree() }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

/** What breaks a rule, in which file, and by which import. */
const cases = [
  ["an import upward", "src/views/bad1.ts", "../alerts/low.ts", "layer-3-views"],
  ["folders of one layer that import each other", "src/storage/bad3.ts", "../operations/log.ts", "layer-1-storage"],
  ["a library outside its folder", "src/views/bad4.ts", "undici", "library-undici"],
  ["a development tool in the product", "src/views/bad5.ts", "fast-check", "no-dev-in-product"],
  ["a sandbox that knows the product", "test/sandbox/bad6.ts", "../../src/alerts/low.ts", "sandbox-is-a-package"],
  ["a sandbox that knows its tests", "test/sandbox/bad7.ts", "../unit/high.ts", "sandbox-is-a-package"],
  ["a package that the sandbox does not list", "test/sandbox/bad8.ts", "fast-check", "sandbox-lists-its-packages"],
  ["a benchmark that imports a unit test's file", "test/bench/bad9.ts", "../unit/high.ts", "tests-share-by-support"],
] as const;
const typeFile = "src/guilds/bad2.ts";

it("a tree that breaks the layers is refused: for each import that does, a type's as well, and for no other", async () => {
  for (const file of [".dependency-cruiser.mjs", "tsconfig.json", "package.json", "test/sandbox/package.json"]) {
    await cp(join(root, file), inTree(file));
  }
  await symlink(join(root, "node_modules"), inTree("node_modules"));
  await plant("src/alerts/low.ts", "export const low = 1;");
  await plant("src/discord/high.ts", 'import { low } from "../alerts/low.ts";\nexport const high = low;');
  await plant("src/operations/log.ts", "export const log = 1;");
  await plant("test/unit/high.ts", "export const high = 1;");
  await plant(typeFile, 'import type { low } from "../alerts/low.ts";\nexport type Bad = typeof low;');
  for (const [, file, imported] of cases) await plant(file, `import "${imported}";\n`);

  const said = (await Promise.all(["src", "test"].map(verdict))).join("\n");

  for (const [what, file, , rule] of cases) expect(said, what).toContain(`error ${rule}: ${file}`);
  expect(said).toContain(`error layer-2-guilds: ${typeFile}`);
  expect(said).not.toContain("src/discord/high.ts");
});
