import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";

const entryPoint = resolve(import.meta.dirname, "../demo/demo.ts");
const deadlineMs = 15_000;

/** The first printed line that fits, and when it came, in ms after the start. */
function printed(child: ChildProcess, from: number, pattern: RegExp): Promise<{ match: RegExpExecArray; ms: number }> {
  return new Promise((found, failed) => {
    const { stdout } = child;
    if (stdout === null) throw new Error("the demo prints nowhere");
    const lines: string[] = [];
    const timer = setTimeout(() => failed(new Error(`no ${pattern} in:\n${lines.join("\n")}`)), deadlineMs);
    createInterface({ input: stdout }).on("line", (line) => {
      lines.push(line);
      const match = pattern.exec(line);
      if (match === null) return;
      clearTimeout(timer);
      found({ match, ms: performance.now() - from });
    });
  });
}

it("npm run demo: gives a page and rings within 5 s, and ends cleanly on Ctrl-C", async () => {
  const from = performance.now();
  const child = spawn(process.execPath, [entryPoint], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  try {
    const [page, order] = await Promise.all([
      printed(child, from, /http:\/\/127\.0\.0\.1:\d+\//),
      printed(child, from, /New order/),
    ]);
    const answer = await fetch(page.match[0]);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("importmap");
    expect(order.ms).toBeLessThan(5_000);
    child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
  }
});
