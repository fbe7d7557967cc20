import { execFile } from "node:child_process";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { copyTree, root } from "./copy-tree.ts";

const run = promisify(execFile);
const parts = ["src", "commands", "test", "package.json", "knip.json", "tsconfig.json", "vitest.config.ts"];

it("an unused file and an unused export fail `npm run check`", async () => {
  await using copy = await copyTree(parts);
  const { tree } = copy;
  await writeFile(join(tree, "src/basics/planted-file.ts"), "export const plantedFile = 1;\n");
  await appendFile(join(tree, "src/basics/limits/mutex.ts"), "export const plantedExport = 1;\n");

  // knip's Node plugin takes every file that a test lists with `glob` for used, so knip.json turns the plugin off.
  const knip = run(process.execPath, [join(root, "node_modules/knip/bin/knip.js")], { cwd: tree });
  const said = await knip.then(
    () => "nothing",
    ({ stdout }: { stdout: string }) => stdout,
  );

  expect(said).toContain("src/basics/planted-file.ts");
  expect(said).toContain("plantedExport");
});
