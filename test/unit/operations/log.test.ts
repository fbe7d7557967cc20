import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openTerminal } from "../../support/process/terminal.ts";

const program = join(import.meta.dirname, "../../support/process/log-on-request.js");
const leftOut = "lines of the log were dropped, because nothing read them";

test("a log that nobody reads holds nothing up: lines are left out and counted, and the last one comes", async () => {
  const child = spawn(process.execPath, [program]);
  const exited = once(child, "exit");
  child.stdin.write("flood\n");
  await once(child.stderr, "data");

  const lines: { msg: string; lines?: number; count?: number }[] = [];
  const reader = createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
  await expect.poll(() => lines.at(-1)?.msg).toBe(leftOut);
  const written = lines.filter(({ count }) => count !== undefined).length;
  const told = lines.at(-1)?.lines;
  child.stdin.write("end\n");
  const [[code]] = await Promise.all([exited, once(reader, "close")]);

  expect(written).toBeGreaterThan(900);
  expect(told).toBe(1_500 - written);
  expect(lines.at(-1)?.msg).toBe("the last line");
  expect(code).toBe(3);
});

test("the same on a terminal that stands still", async () => {
  await using terminal = openTerminal([process.execPath, program], { cwd: import.meta.dirname, env: {} });
  await terminal.shows("ready");

  terminal.type("flood\n");
  await terminal.shows(leftOut);
  terminal.type("end\n");

  expect(await terminal.exited).toBe(3);
  expect(terminal.screen().trim().split("\n").at(-1)).toContain("the last line");
});

test("on a terminal nothing in a line moves the cursor, colours or turns its text around", async () => {
  await using terminal = openTerminal([process.execPath, program], { cwd: import.meta.dirname, env: {} });
  await terminal.shows("Shop");

  expect(terminal.output()).toContain("Shop [2J 31m !");
});

test("of an error nothing is written that a library put on it: requests, their headers and addresses hold tokens", async () => {
  const source = new URL("../../../src/operations/log.ts", import.meta.url).href;
  const code = `
    import { createLog } from ${JSON.stringify(source)};
    const cause = Object.assign(new Error("no"), { code: "E1", requestBody: { token: "SECRET" }, url: "/SECRET" });
    createLog("info").warn({ error: new Error("outer", { cause }) }, "x");`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code]);

  expect(JSON.parse(stdout)).toMatchObject({ error: { message: "outer", cause: { message: "no", code: "E1" } } });
  expect(stdout).not.toContain("SECRET");
});

test("of warnings with one message, 60 a minute are written, of one server 10, and the others are counted", async () => {
  const source = new URL("../../../src/operations/log.ts", import.meta.url).href;
  const code = `
    import { createLog } from ${JSON.stringify(source)};
    let minuteOver;
    globalThis.setTimeout = (run) => { minuteOver = run; return { unref() {} }; };
    const log = createLog("info");
    for (let line = 0; line < 100; line++) log.error({ guild: "noisy" }, "warn");
    log.error({ guild: "other" }, "warn");
    for (let line = 0; line < 70; line++) for (const level of ["info", "warn"]) log[level]({}, level);
    minuteOver();
    log.warn({ guild: "noisy" }, "warn");`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code]);

  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ msg }) => msg === "info")).toHaveLength(70);
  const warnings = lines.filter(({ msg }) => msg === "warn");
  const ofServer = (id?: string) => warnings.filter(({ guild }) => guild === id).length;
  expect([ofServer("noisy"), ofServer("other"), ofServer()]).toEqual([10 + 1, 1, 60 - 10 - 1]);
  expect(lines.at(-2)).toMatchObject({ level: 40, of: "warn", lines: 111 });
});
