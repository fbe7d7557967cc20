import { execFile } from "node:child_process";
import { appendFile, cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const parts = ["src", "commands", "test", "package.json", "knip.json", "tsconfig.json", "vitest.config.ts"];

it("an unused file and an unused export fail `npm run check`", { timeout: 120_000 }, async () => {
  const tree = await mkdtemp(join(tmpdir(), "shopbell-unused-"));
  try {
    for (const part of parts) await cp(join(root, part), join(tree, part), { recursive: true });
    await symlink(join(root, "node_modules"), join(tree, "node_modules"));
    await writeFile(join(tree, "src/basics/planted-file.ts"), "export const plantedFile = 1;\n");
    await appendFile(join(tree, "src/basics/limits/mutex.ts"), "export const plantedExport = 1;\n");

    // knip's Node plugin took every file that a test lists with `glob` for used; so it is off in knip.json.
    const knip = run(process.execPath, [join(root, "node_modules/knip/bin/knip.js")], { cwd: tree });
    const said = await knip.then(
      () => "nothing",
      ({ stdout }: { stdout: string }) => stdout,
    );

    expect(said).toContain("src/basics/planted-file.ts");
    expect(said).toContain("plantedExport");
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
});
