import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { sized, whenLong } from "../support/sized.ts";

/** Virtual time needs a process of its own. Rejects if the simulation finds anything wrong. */
async function simulate(...args: string[]): Promise<string> {
  const program = new URL("../simulation/simulate.ts", import.meta.url).pathname;
  const { promise, resolve } = Promise.withResolvers<string>();
  const child = execFile(
    process.execPath,
    [program, "--shrink", "0", ...args],
    { maxBuffer: 16 * 1024 ** 2 },
    (_, out, err) => resolve(out + err),
  );
  const output = await promise;
  expect(child.exitCode, output).toBe(0);
  return output;
}

test("no recorded history shows the fault that it was recorded for", { timeout: 240_000 }, async () => {
  await simulate("--corpus", ...sized([], ["--twice"]));
});

whenLong(() => {
  test("after a kill at any event no alert is lost or sent twice", { timeout: 240_000 }, async () => {
    expect(Number(/^(\d+) kills/m.exec(await simulate("--kill-everywhere"))?.[1])).toBeGreaterThan(50);
  });
});

const histories = sized(1, 200);
test("each seed gives the same history twice, and no fault", { timeout: 120_000 + histories * 15_000 }, async () => {
  expect(await simulate("--histories", String(histories), "--twice")).toContain(`"histories":${histories},`);
});
