import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { sized, whenLong } from "../support/sized.ts";

const directory = new URL("../simulation/", import.meta.url);

/** Runs `npm run simulate`. Virtual time needs a process of its own. */
async function simulate(...args: string[]): Promise<{ code: number; lines: string[] }> {
  const program = new URL("simulate.ts", directory).pathname;
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { maxBuffer: 16 * 1024 ** 2 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, lines: `${stdout}${stderr}`.trim().split("\n") });
    });
  });
}

async function knownFaults(): Promise<Set<string>> {
  const corpus = new URL("corpus/", directory);
  const files = await Promise.all((await readdir(corpus)).map((name) => readFile(new URL(name, corpus), "utf8")));
  return new Set(files.flatMap((text) => (JSON.parse(text) as { what: string }).what.split(",")));
}

test("recorded histories show the known faults, and none that was corrected", {
  timeout: 240_000,
}, async () => {
  const { code, lines } = await simulate("--corpus", ...sized([], ["--twice"]));
  expect(code, lines.join("\n")).toBe(0);
});

whenLong(() => {
  test("after a kill at any event no alert is lost or sent twice", { timeout: 240_000 }, async () => {
    const { code, lines } = await simulate("--kill-everywhere");
    expect(code, lines.join("\n")).toBe(0);
    expect(Number(/^(\d+) kills/m.exec(lines.join("\n"))?.[1])).toBeGreaterThan(50);
  });
});

const histories = sized(1, 200);
test("each seed gives the same history twice, with known faults only", {
  timeout: 120_000 + histories * 15_000,
}, async () => {
  const { lines } = await simulate("--seed", "1", "--histories", String(histories), "--twice", "--shrink", "0");
  const all = lines.join("\n");
  expect(all).toContain(`"histories":${histories},`);
  expect(all).toContain('"differing":0,');
  const found = lines.flatMap((line) => /^([a-z ]+): first at seed/i.exec(line)?.[1] ?? []);
  const known = await knownFaults();
  expect(found.filter((what) => !known.has(what))).toEqual([]);
});
