import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { freePort } from "../support/free-port.ts";
import { listen } from "../support/listen.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const dockerfile = read("Dockerfile");
const stages = dockerfile.split(/^(?=FROM )/m).slice(1);
const image = stages.at(-1) ?? "";
const compose = read("compose.yaml");
const unit = read("docs/hosting/shopbell.service");

/** What stands behind `keyword` in each line that begins with it. */
const linesOf = (text: string, keyword: string) =>
  [...text.matchAll(new RegExp(`^\\s*${keyword}[ =:]+(.+)$`, "gm"))].map(([, rest = ""]) => rest);

const words = z.array(z.string());
/** The program and its arguments of an instruction in exec form. */
const execForm = (line = "") => words.parse(JSON.parse(line.replace(/^.*?(?=\[")/, "")));

/** Sources and target of each COPY that takes from the project, not from another stage. */
const copiesOf = (stage: string) =>
  linesOf(stage, "COPY")
    .filter((line) => !line.startsWith("--from"))
    .map((line) => line.split(" "))
    .flatMap((paths) => paths.slice(0, -1).map((source) => ({ source, target: paths.at(-1) ?? "" })));

interface Ended {
  readonly code: number;
  readonly output: string;
}

const runNode = (args: readonly string[], cwd: string, environment: Readonly<Record<string, string>> = {}) =>
  new Promise<Ended>((settle) => {
    const options = { cwd, env: { PATH: process.env.PATH, ...environment } };
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      settle({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });

/** A directory with what the image has in its own: the copied files, and of the packages the production ones alone. */
async function asInImage(): Promise<AsyncDisposable & { readonly directory: string }> {
  const directory = await mkdtemp(join(tmpdir(), "shopbell-image-"));
  for (const { source, target } of copiesOf(image))
    await cp(join(root, source), join(directory, target, target.startsWith(source) ? "" : source), { recursive: true });
  for (const name of Object.keys(manifest.dependencies)) {
    const place = join(directory, "node_modules", name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(root, "node_modules", name), place);
  }
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) };
}

describe("the image", () => {
  it("is built on the Node that the process needs, in every stage", () => {
    const bases = linesOf(dockerfile, "FROM").map((line) => line.split(" ")[0]);
    expect(bases).toEqual(stages.map(() => `node:${manifest.engines.node.replace(">=", "")}-slim`));
  });

  it("has all that a start loads, and runs what npm start runs", async () => {
    const [program, ...args] = execForm(linesOf(image, "CMD").at(-1));
    expect([program, ...args].join(" ")).toBe(manifest.scripts.start);
    await using copy = await asInImage();
    const { code, output } = await runNode(args, copy.directory);
    expect(output).toMatch(/^DISCORD_TOKEN is missing[^\n]*\nSTORE_API_URL is missing[^\n]*\n$/);
    expect(code).toBe(1);
  });

  it("is made of the files that the builder is given, and the builder is given no others", () => {
    const [first, ...allowed] = read(".dockerignore").trim().split("\n").slice(1);
    expect(first).toBe("*");
    const copied = new Set(stages.flatMap(copiesOf).map(({ source }) => source));
    expect(allowed.map((line) => line.replace(/^!/, "")).sort()).toEqual([...copied].sort());
  });

  it("runs as a user that is not root, who may write the volume alone, where data/ is looked for", () => {
    const [directory] = linesOf(image, "WORKDIR");
    expect(linesOf(image, "USER")).toEqual(["node"]);
    expect(linesOf(image, "VOLUME")).toEqual([`${directory}/data`]);
    expect(linesOf(image, "RUN").filter((line) => line.includes("node"))).toEqual([
      "install -d -o node -g node -m 0700 data",
    ]);
    expect(linesOf(compose, "- data")).toEqual([`${directory}/data`]);
  });
});

describe("the health check of the image", () => {
  const [, ...check] = execForm(linesOf(image, "HEALTHCHECK").at(-1));

  /** Exit code of the check while `/healthz`, and nothing else, answers with `status`. */
  async function checked(status: number, host?: string): Promise<number> {
    const server = createServer(
      ({ url }, response) => void response.writeHead(url === "/healthz" ? status : 404).end(),
    );
    const { port } = new URL(`http://${await listen(server)}`);
    const { code } = await runNode(check, root, { HTTP_PORT: port, ...(host ? { HTTP_HOST: host } : {}) });
    server.close();
    return code;
  }

  it("passes where HTTP_PORT is not set, or is empty", async () => {
    expect((await runNode(check, root)).code).toBe(0);
    expect((await runNode(check, root, { HTTP_PORT: " " })).code).toBe(0);
  });

  it("passes on 200 alone", async () => {
    expect(await checked(200)).toBe(0);
    expect(await checked(200, "127.0.0.1")).toBe(0);
    expect(await checked(503)).toBe(1);
    expect(await checked(404)).toBe(1);
  });

  it("fails where nobody listens", async () => {
    expect((await runNode(check, root, { HTTP_PORT: String(await freePort()) })).code).toBe(1);
  });
});

describe("the unit for systemd", () => {
  it("starts what npm start starts, with the code in /opt/shopbell", () => {
    const command = manifest.scripts.start.replace(/^node /, "/usr/bin/node ").replace("src/", "/opt/shopbell/src/");
    expect(linesOf(unit, "ExecStart")).toEqual([command]);
  });
});

it("neither leaves a core file, in which the tokens would be", () => {
  expect(linesOf(unit, "LimitCORE")).toEqual(["0"]);
  expect(linesOf(compose, "core")).toEqual(["0"]);
});

it("both wait longer for the end than the 10 s that the process may take", () => {
  for (const [patience = ""] of [linesOf(compose, "stop_grace_period"), linesOf(unit, "TimeoutStopSec")])
    expect(Number.parseInt(patience, 10)).toBeGreaterThan(10);
});
