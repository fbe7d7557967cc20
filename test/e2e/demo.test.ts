import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";

const entryPoint = resolve(import.meta.dirname, "../demo/demo.ts");
const deadlineMs = 15_000;

/** The first printed line that fits. */
function printed(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
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
      found(match);
    });
  });
}

it("npm run demo: rings and gives its page, says one line for an order, and ends cleanly on Ctrl-C", async () => {
  const child = spawn(process.execPath, [entryPoint], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  try {
    const [, page] = await Promise.all([
      printed(child, /New order · \$29\.90 · /),
      printed(child, /http:\/\/127\.0\.0\.1:\d+\//),
    ]);
    const [url] = page;
    const answer = await fetch(url);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("importmap");

    const lines: string[] = [];
    const second = printed(child, /2 orders|New order/);
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => lines.push(line));
    const headers = { "content-type": "application/json", origin: new URL(url).origin };
    await fetch(`${url}api/place-orders`, { method: "POST", headers, body: '{"count":1}' });
    await second;
    expect(lines.filter(Boolean)).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d {2}🔔 New order · \$/)]);
    child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
  } finally {
    // A kill would leave its bot behind.
    child.kill("SIGINT");
    await ended;
  }
});

it("npm run demo -- --help says what it does, and starts nothing", async () => {
  const child = spawn(process.execPath, [entryPoint, "--help"], {
    stdio: ["ignore", "pipe", "inherit"],
    // A demo that starts all the same goes on until it is ended.
    timeout: 4_000,
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(code).toBe(0);
  expect(output).toMatch(/^npm run demo runs the real bot [^\n]+\n$/);
});
