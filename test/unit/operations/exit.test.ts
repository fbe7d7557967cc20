import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const exits = join(import.meta.dirname, "../../../src/operations/exit.ts");
const megabyte = 1_024 ** 2;

/** Makes 40 MB of garbage before the process ends. */
const program = `
  import { exit } from ${JSON.stringify(exits)};
  let garbage = Array.from({ length: 400_000 }, (_, at) => ({ at, more: [at, at, at] }));
  process.on("exit", () => process.stdout.write(String(process.memoryUsage().heapUsed)));
  console.error(process.memoryUsage().heapUsed);
  garbage = undefined;
  exit(3);
`;

it("a process ends with free heap and its own exit code: without free heap Node hung at exit in 10 of 240 runs, with it in 0 of 750", async () => {
  const run = promisify(execFile)("node", ["--input-type=module", "--eval", program], { timeout: 20_000 });
  const { code, stdout, stderr } = await run.then(
    () => expect.fail("it ended with 0"),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  expect(code).toBe(3);
  expect(Number(stderr)).toBeGreaterThan(25 * megabyte);
  expect(Number(stdout)).toBeLessThan(10 * megabyte);
});
