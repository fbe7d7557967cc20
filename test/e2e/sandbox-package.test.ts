import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import root from "../../package.json" with { type: "json" };
import sandbox from "../sandbox/package.json" with { type: "json" };

const directory = resolve(import.meta.dirname, "../sandbox");
const run = promisify(execFile);

it("needs the versions that are installed, and exports files that are there", () => {
  expect({ ...root.dependencies, ...root.devDependencies }).toMatchObject(sandbox.dependencies);
  for (const file of Object.values(sandbox.exports)) expect(existsSync(join(directory, file)), file).toBe(true);
});

it("runs the example of its README: a bot answers a command", async () => {
  const readme = await readFile(join(directory, "README.md"), "utf8");
  const [, example = ""] = /```js\n(.*?)```/s.exec(readme) ?? [];
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", example], { cwd: directory });
  expect(stdout).toContain("/store connect");
});
