import { resolve } from "node:path";
import { expect, it } from "vitest";
import { launchBot } from "../sandbox/launch-bot.ts";

const launch = (...args: string[]) =>
  launchBot({
    command: [process.execPath, resolve(import.meta.dirname, "../demo/demo.ts"), ...args],
    directory: import.meta.dirname,
    environment: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  });
/** Lines about orders, which begin with the time. */
const ringsIn = (output: string) => output.match(/^\d\d:\d\d:\d\d {2}🔔 New order · \$.*$/gm) ?? [];

it("npm run demo: rings and gives its page, which no other page controls, says one line for an order, and ends cleanly when its terminal is closed", async () => {
  const demo = launch();
  try {
    await demo.printed("New order · $29.90 · ");
    const [url = ""] = /http:\/\/127\.0\.0\.1:\d+\//.exec(await demo.printed("http://127.0.0.1:")) ?? [];
    const answer = await fetch(url);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("importmap");

    const before = demo.output().length;
    const headers = { "content-type": "application/json", origin: new URL(url).origin };
    await fetch(`${url}api/place-orders`, { method: "POST", headers, body: '{"count":1}' });
    // `unit/sandbox/guard.test.ts` has every kind of page.
    const evil = { ...headers, origin: "http://evil.example" };
    expect((await fetch(`${url}api/kill-bot`, { method: "POST", headers: evil, body: "{}" })).status).toBe(403);
    expect((await fetch(`${url}events`, { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(403);
    const since = () => demo.output().slice(before).trim();
    await expect.poll(since).not.toBe("");
    expect(ringsIn(since())).toEqual([since()]);
    expect((await demo.stop("SIGHUP")).code).toBe(0);
  } finally {
    // A kill would leave the demo's bot behind.
    await demo.stop("SIGINT");
  }
});

it("npm run demo -- --help says what it does, and starts nothing", async () => {
  const demo = launch("--help");
  try {
    await demo.printed("npm run demo runs the real bot");
    expect(await demo.exited).toBe(0);
    expect(demo.output()).toMatch(/^npm run demo [^\n]+\n$/);
  } finally {
    await demo.stop("SIGINT");
  }
});
