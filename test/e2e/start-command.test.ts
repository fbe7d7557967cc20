import { execFile, spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { createWorld, type World } from "../support/process/world.ts";

const root = resolve(import.meta.dirname, "../..");
const preload = pathToFileURL(join(root, "test/support/process/report-loaded.js")).href;

interface Loaded {
  readonly files: string[];
  readonly builtin: string[];
  readonly compileCache?: string;
}

/** Starts on SQLite, connects and ends. Returns what was loaded, and the printed lines. */
async function startAndStop(world: World): Promise<{ loaded: Loaded; lines: string[] }> {
  const bot = await world.start({ NODE_OPTIONS: `--import=${preload}` });
  await bot.printed('"msg":"ready"');
  await bot.stop();
  const { loaded } = JSON.parse(await bot.printed('{"loaded":'));
  return { loaded, lines: bot.output().split("\n") };
}

/** The process ends by itself, with a line for each missing variable. */
function startWithoutSettings(
  entry: string,
  flags: readonly string[] = [],
  words: readonly string[] = [],
): Promise<{ code: number; output: string }> {
  return new Promise((settle) => {
    const options = { cwd: tmpdir(), env: { PATH: process.env.PATH } };
    execFile(process.execPath, [...flags, entry, ...words], options, (error, stdout, stderr) =>
      settle({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

const complaint = {
  code: 1,
  output: expect.stringMatching(
    /^DISCORD_TOKEN is missing[^\n]*\nSTORE_API_URL is missing[^\n]*There is no \.env here: copy [^\n]*\n$/,
  ),
};

test.each(["SIGINT", "SIGTERM", "SIGHUP"])("%s ends a process that still loads with code 0", async (signal) => {
  await using world = await createWorld();
  const hook = `import { registerHooks } from "node:module"; registerHooks({ resolve(name, context, next) {
    if (name.endsWith("/main.ts")) process.kill(process.pid, "${signal}");
    return next(name, context);
  } });`;
  const bot = world.launch({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` });
  expect(await bot.exited).toBe(0);
});

describe("what npm start loads", () => {
  let world: World;
  let loaded: Loaded;
  let lines: string[];
  let packages: Set<string>;
  beforeAll(async () => {
    world = await createWorld();
    // The first start after a change of the code fills the cache.
    await startAndStop(world);
    ({ loaded, lines } = await startAndStop(world));
    packages = new Set(loaded.files.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []));
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("on SQLite: neither Redis's packages nor PostgreSQL's (0.1.0: both)", () => {
    expect(packages).toContain("keyv");
    expect([...packages].filter((name) => /redis|postgres|^pg|sqlite/.test(name))).toEqual([]);
  });

  test("discord.js's parts, each once, and no file of discord.js itself (0.1.0: all of it, with second copies)", () => {
    expect(loaded.files.filter((url) => url.includes("/node_modules/discord.js/"))).toEqual([]);
    // Otherwise the bot would not recognise errors of the REST client, whose class would be another one.
    for (const name of ["core", "rest", "ws"]) {
      const ofIt = new RegExp(`/node_modules/@discordjs/${name}/(?!node_modules/)`);
      expect(loaded.files.filter((url) => ofIt.test(url))).toHaveLength(1);
    }
  });

  test("where no terminal is: nothing that makes the log readable (0.1.0: all of it)", () => {
    expect(packages).toContain("pino");
    expect(packages).not.toContain("pino-pretty");
  });

  test("from the second start on: nothing that strips types (0.1.0: every file at every start)", () => {
    expect(loaded.files.filter((url) => url.endsWith(".ts")).length).toBeGreaterThan(50);
    expect(loaded.builtin.filter((name) => name.includes("amaro"))).toEqual([]);
  });

  test("what it compiled is written once, before anybody waits for it: writing keeps a process for seconds on a busy disk", () => {
    const flushes = lines.filter((line) => line.startsWith('{"flushed"'));
    expect(flushes).toHaveLength(1);
    expect(lines.indexOf(flushes[0] ?? "")).toBeLessThan(
      lines.findIndex((line) => /connected to Discord|connection to Discord resumed/.test(line)),
    );
  });

  test("compiled code from beside the project, not from a directory that all users share", () => {
    expect(loaded.compileCache).toContain(join(root, "node_modules/.cache/shopbell"));
  });
});

test("where the cache cannot be written, the bot starts all the same and says nothing of it", async () => {
  const directory = await mkdtemp(join(tmpdir(), "shopbell-start-"));
  try {
    const parts = ["src", "commands", "package.json"];
    await Promise.all(parts.map((part) => cp(join(root, part), join(directory, part), { recursive: true })));
    const packages = join(directory, "node_modules");
    await mkdir(packages);
    const installed = (await readdir(join(root, "node_modules"))).filter((name) => !name.startsWith("."));
    await Promise.all(installed.map((name) => symlink(join(root, "node_modules", name), join(packages, name))));
    // Not even root can make a directory below a file.
    await writeFile(join(packages, ".cache"), "");
    expect(await startWithoutSettings(join(directory, "src/start.js"))).toEqual(complaint);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test.each(["--help", "-h"])("npm start -- %s says what it does and how it is set, and starts nothing", async (word) => {
  const { code, output } = await startWithoutSettings(join(root, "src/start.js"), [], [word]);
  expect(code).toBe(0);
  expect(output).toMatch(/^npm start runs the bot [^\n]+\n$/);
});

test.each(["start", "doctor", "backup", "restore", "export", "import"] as const)(
  "npm run %s on an older Node says what it needs, in one line (before: an error about TypeScript)",
  (name) => {
    const old = 'Object.defineProperty(process.versions, "node", { value: "20.20.2" })';
    const pretend = `--import=data:text/javascript,${encodeURIComponent(old)}`;
    const args = manifest.scripts[name].split(" ").slice(1);
    const { status, stderr } = spawnSync(process.execPath, [pretend, ...args, "file"], { cwd: root, encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Shopbell needs Node\.js 24 or later, and this is 20\.20\.2\. [^\n]+\n$/);
  },
);
