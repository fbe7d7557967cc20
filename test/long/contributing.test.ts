import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { copyTree, root } from "./copy-tree.ts";

const run = promisify(execFile);
const parts = ["src", "commands", "test", "package.json", "tsconfig.json", "vitest.config.ts", "LICENSE"];

it("the command of CONTRIBUTING.md compiles and passes its test, made by the steps there", {
  timeout: 240_000,
}, async () => {
  await using copy = await copyTree(parts);
  const { tree } = copy;
  const edit = async (file: string, change: (text: string) => string) => {
    const path = join(tree, file);
    const before = await readFile(path, "utf8");
    const after = change(before);
    expect(after, file).not.toBe(before);
    await writeFile(path, after);
  };
  const [, steps = ""] =
    /^## Adding a command\n(.*?)^## /ms.exec(await readFile(join(root, "CONTRIBUTING.md"), "utf8")) ?? [];
  const blocks = [...steps.matchAll(/^ {3}```ts\n(.*?)^ {3}```/gms)].map(([, code = ""]) =>
    code.replace(/^ {3}/gm, ""),
  );
  const [names = "", texts = "", ids = "", command = "", test = ""] = blocks;

  const atEnd = (lines: string) => (text: string) => text.replace(/^\};$/m, `${lines}\n};`);
  for (const locale of ["en", "pt-BR", "es"]) {
    const of = (block: string) => block.split("\n").find((line) => line.endsWith(`// ${locale}`)) ?? "";
    await edit(`src/locales/${locale}/commands.ts`, atEnd(of(names)));
    await edit(`src/locales/${locale}/settings.ts`, atEnd(of(texts)));
  }
  await edit("src/views/parts/custom-ids.ts", (text) =>
    text.replace(/(export const customIds = idsOf\(\{.*?)^\}\);$/ms, `$1${ids}});`),
  );
  await writeFile(join(tree, "commands/ping-store.ts"), command);
  await edit("commands/index.ts", (text) =>
    `import { pingStore } from "./ping-store.ts";\n${text}`.replace(/^\};$/m, '"ping-store": pingStore,\n};'),
  );
  await writeFile(join(tree, "test/e2e/commands-ping-store.test.ts"), test);

  const node = (...args: string[]) =>
    run(process.execPath, args, { cwd: tree }).catch(({ stdout }: { stdout: string }) => ({ stdout }));
  expect((await node("node_modules/typescript/bin/tsc", "--noEmit")).stdout).toBe("");
  const tested = await node("node_modules/vitest/vitest.mjs", "run", "test/e2e/commands-ping-store.test.ts");
  expect(tested.stdout).toContain("1 passed");
});
