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
const cluster = read("compose.cluster.yaml");
const unit = read("docs/hosting/shopbell.service");
const workerUnit = read("docs/hosting/shopbell-worker@.service");
const proxyUnit = read("docs/hosting/shopbell-proxy.service");

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

  it("has the version of the package in its label, in the names that Compose gives it, and at the top of the changelog", () => {
    const { version } = manifest;
    expect(linesOf(image, "LABEL").join()).toContain(`org.opencontainers.image.version="${version}"`);
    expect(linesOf(compose, "image")).toEqual([`shopbell:${version}`]);
    expect(linesOf(cluster, "image")).toContain(`shopbell:${version}`);
    const [newest = ""] = /(?<=^## \[)\d.*$/m.exec(read("CHANGELOG.md")) ?? [];
    expect(newest).toMatch(/^\S+\] - \d{4}-\d\d-\d\d$/);
    expect(newest.split("]")[0]).toBe(version);
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

/** Exit code of a health check, where `answer` gives the status that each path of its port has. */
async function checked(
  check: (port: string) => { args: readonly string[]; environment?: Readonly<Record<string, string>> },
  answer: (url: string | undefined) => number,
): Promise<number> {
  const server = createServer(({ url }, response) => void response.writeHead(answer(url)).end());
  const { port } = new URL(`http://${await listen(server)}`);
  const { args, environment } = check(port);
  const { code } = await runNode(args, root, environment);
  server.close();
  return code;
}

describe("the health check of the image", () => {
  const [, ...args] = execForm(linesOf(image, "HEALTHCHECK").at(-1));

  /** Exit code while `/healthz`, and nothing else, answers with `status`. */
  const healthy = (status: number, host?: string) =>
    checked(
      (port) => ({ args, environment: { HTTP_PORT: port, ...(host ? { HTTP_HOST: host } : {}) } }),
      (url) => (url === "/healthz" ? status : 404),
    );

  it("passes where HTTP_PORT is not set, or is empty", async () => {
    expect((await runNode(args, root)).code).toBe(0);
    expect((await runNode(args, root, { HTTP_PORT: " " })).code).toBe(0);
  });

  it("passes on 200 alone", async () => {
    expect(await healthy(200)).toBe(0);
    expect(await healthy(200, "127.0.0.1")).toBe(0);
    expect(await healthy(503)).toBe(1);
    expect(await healthy(404)).toBe(1);
  });

  it("fails where nobody listens", async () => {
    expect((await runNode(args, root, { HTTP_PORT: String(await freePort()) })).code).toBe(1);
  });
});

describe("the compose file of several processes", () => {
  /** A part at the left edge or two spaces in, with all that is indented below it. */
  const part = (name: string) =>
    new RegExp(`^(?<edge>(?: {2})?)${name}:(?: &\\w+)?\n(?:\\k<edge> +.*\n|\n)*`, "m").exec(cluster)?.[0] ?? "";
  const processes = part("x-process");
  const databases = part("x-database");
  const storage = part("storage");
  const queue = part("queue");
  const megabytesOf = (text: string) => Number.parseInt(linesOf(text, "mem_limit").join(), 10);

  it("hardens every container as the file of one process hardens its own", () => {
    for (const rule of ["read_only: true", "cap_drop: \\[ALL\\]", "core: 0", "pids_limit"]) {
      for (const text of [compose, processes, databases]) expect(text, rule).toMatch(new RegExp(`^ +${rule}`, "m"));
    }
    for (const text of [compose, processes, databases]) expect(text).toContain('["no-new-privileges:true"]');
    for (const text of [compose, processes, storage, queue]) {
      expect(linesOf(text, "mem_limit")).toHaveLength(1);
      expect(linesOf(text, "memswap_limit"), "no swap").toEqual(linesOf(text, "mem_limit"));
    }
    expect(linesOf(storage, "user")).toEqual(["postgres"]);
    expect(linesOf(queue, "user")).toEqual(["redis"]);
    expect(cluster.match(/<<: \*(?:process|bot|worker)$/gm)).toHaveLength(6);
    expect(cluster.match(/<<: \*database$/gm)).toHaveLength(2);
  });

  it("gives a process more memory than 10,000 servers and the health check take, by a tenth at least", () => {
    const row = /^\| Each of two workers \|.* (\d+) MB \|$/m.exec(read("docs/benchmarks.md"));
    const [, check] = /the health check takes (\d+) MB/.exec(read("docs/hosting/docker.md")) ?? [];
    expect(megabytesOf(processes)).toBeGreaterThan((Number(row?.[1]) + Number(check)) * 1.1);
  });

  it("opens no port of the machine, and lets nobody but its own processes reach the databases", () => {
    expect(cluster).not.toMatch(/^ *ports:/m);
    expect(linesOf(databases, "networks")).toEqual(["[inside]"]);
    expect(linesOf(storage + queue, "networks")).toEqual([]);
    expect(part("inside")).toContain("internal: true");
  });

  it("has no secret in it, and starts nothing without them", () => {
    for (const name of ["DISCORD_TOKEN", "SECRET_KEYS"]) {
      const values = linesOf(cluster, name);
      expect(values).toHaveLength(1);
      expect(values[0]).toMatch(new RegExp(`^\\$\\{${name}:\\?`));
    }
    const password = "\\$\\{POSTGRES_PASSWORD:\\?[^}]+\\}";
    expect(linesOf(storage, "POSTGRES_PASSWORD").join()).toMatch(new RegExp(`^${password}$`));
    expect(linesOf(cluster, "STORAGE_URL").join()).toMatch(
      new RegExp(`^postgres://shopbell:${password}@storage:5432/shopbell$`),
    );
  });

  it("keeps what must not be lost in PostgreSQL, in a volume, and counts it as healthy once it takes connections by TCP", () => {
    expect(linesOf(storage, "image").join()).toMatch(/^postgres:\d+$/);
    expect(linesOf(storage, "- storage")).toEqual(["/var/lib/postgresql/data"]);
    expect(linesOf(storage, "POSTGRES_USER")).toEqual(["shopbell"]);
    const check = execForm(linesOf(storage, "test").at(0)).join(" ");
    expect(check).toBe("CMD pg_isready --host 127.0.0.1 --username shopbell");
  });

  it("has a Redis for the queue alone, which forgets nothing and has twice the memory that it may fill", () => {
    expect(linesOf(cluster, "QUEUE_URL")).toEqual(["redis://queue:6379"]);
    expect(cluster.match(/redis:\/\//g)).toHaveLength(1);
    const command = execForm(linesOf(queue, "command").at(0)).join(" ");
    expect(command).toMatch(/^redis-server .*--appendonly yes .*--maxmemory-policy noeviction$/);
    const [, maxmemory] = /--maxmemory (\d+)mb/.exec(command) ?? [];
    expect(megabytesOf(queue)).toBe(2 * Number(maxmemory));
  });

  it("starts no bot before both databases and the proxy are healthy", () => {
    const names = [...part("x-bot").matchAll(/^ +(\w+): \{ condition: service_healthy \}$/gm)].map(([, name]) => name);
    expect(names).toEqual(["storage", "queue", "proxy"]);
  });

  it("runs what npm run proxy runs, and gives it Discord's own address", () => {
    const proxy = part("proxy");
    expect(execForm(linesOf(proxy, "command").at(0)).join(" ")).toBe(manifest.scripts.proxy);
    expect(linesOf(proxy, "DISCORD_API_URL")).toEqual(["https://discord.com/api"]);
  });

  it("takes a bot for healthy that is ready, and a proxy that answers", async () => {
    const argsOf = (text: string, port: string) =>
      execForm(linesOf(text, "test").at(-1))
        .slice(2)
        .map((arg) => arg.replace(/(?<=127\.0\.0\.1:)\d+/, port));
    for (const [text, path] of [
      [part("x-bot"), "/readyz"],
      [part("proxy"), "/healthz"],
    ] as const) {
      const of = (status: number) =>
        checked(
          (port) => ({ args: argsOf(text, port) }),
          (url) => (url === path ? status : 404),
        );
      expect(await of(200), path).toBe(0);
      expect(await of(503), path).toBe(1);
    }
  });
});

describe("the unit for systemd", () => {
  it("starts what npm start starts, with the code in /opt/shopbell", () => {
    const command = manifest.scripts.start.replace(/^node /, "/usr/bin/node ").replace("src/", "/opt/shopbell/src/");
    expect(linesOf(unit, "ExecStart")).toEqual([command]);
    expect(linesOf(workerUnit, "ExecStart")).toEqual([command]);
    expect(linesOf(proxyUnit, "ExecStart")).toEqual([command.replace("start.js", "tools/proxy.ts")]);
  });

  it("is hardened alike for a worker and for the proxy", () => {
    const hardening = unit.slice(unit.indexOf("LimitCORE"), unit.indexOf("[Install]"));
    expect(hardening.split("\n").length).toBeGreaterThan(15);
    expect(workerUnit).toContain(hardening);
    expect(proxyUnit).toContain(hardening);
  });

  it("starts a worker as one, with the port that is its name", () => {
    expect(linesOf(workerUnit, "Environment")).toEqual(["ROLE=worker HTTP_PORT=%i"]);
  });
});

it("neither leaves a core file, in which the tokens would be", () => {
  expect(linesOf(unit, "LimitCORE")).toEqual(["0"]);
  expect(linesOf(compose, "core")).toEqual(["0"]);
  expect(linesOf(cluster, "core")).toEqual(["0", "0"]);
});

it("both wait longer for the end than the 10 s that the process may take", () => {
  const composed = [compose, cluster].map((text) => linesOf(text, "stop_grace_period"));
  const units = [unit, workerUnit, proxyUnit].map((text) => linesOf(text, "TimeoutStopSec"));
  for (const [patience = ""] of [...composed, ...units]) expect(Number.parseInt(patience, 10)).toBeGreaterThan(10);
});
