import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import manifest from "../../../package.json" with { type: "json" };
import { readConfig } from "../../../src/config.ts";
import { listen } from "../../sandbox/listen.ts";
import { freePort } from "../../support/process/free-port.ts";
import { useDirectory } from "../../support/use-directory.ts";

const root = resolve(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const dockerfile = read("Dockerfile");
const stages = dockerfile.split(/^(?=FROM )/m).slice(1);
const image = stages.at(-1) ?? "";
const compose = read("compose.yaml");
const cluster = read("compose.cluster.yaml");
const unit = read("docs/hosting/shopbell.service");
const workerUnit = read("docs/hosting/shopbell-worker@.service");
const proxyUnit = read("docs/hosting/shopbell-proxy.service");
const egg = read("docs/hosting/egg-shopbell.json");

/** The rest of each line that begins with `keyword`. */
const linesOf = (text: string, keyword: string) =>
  [...text.matchAll(new RegExp(`^\\s*${keyword}[ =:]+(.+)$`, "gm"))].map(([, rest = ""]) => rest);

const words = z.array(z.string());
/** Program and arguments of an instruction in exec form. */
const execForm = (line = "") => words.parse(JSON.parse(line.replace(/^.*?(?=\[")/, "")));

/** Leaves out COPY from another stage. */
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

const inImage = useDirectory();
/** Fills the directory as in the image: with the copied files, and with production packages only. */
async function fillImage() {
  for (const { source, target } of copiesOf(image))
    await cp(join(root, source), inImage(target, target.startsWith(source) ? "" : source), { recursive: true });
  for (const name of Object.keys(manifest.dependencies)) {
    const place = inImage("node_modules", name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(root, "node_modules", name), place);
  }
}

it("units, image and egg give the process the same environment", () => {
  const [given] = linesOf(image, "ENV");
  expect(given).toContain("MALLOC_");
  for (const one of [unit, workerUnit, proxyUnit]) expect(linesOf(one, "Environment")).toContain(given);
  expect(egg).toContain(`export ${given};`);
});

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
    await fillImage();
    const { code, output } = await runNode(args, inImage());
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
    expect(linesOf(image, "RUN")).toContain("install -d -o node -g node -m 0700 data");
    expect(linesOf(compose, "- data")).toEqual([`${directory}/data`]);
  });
});

/** Exit code of a health check. Only `path` answers with `status`. */
async function checked(check: (port: string) => Promise<Ended>, path: string, status: number): Promise<number> {
  const server = createServer(({ url }, response) => void response.writeHead(url === path ? status : 404).end());
  const { port } = new URL(`http://${await listen(server)}`);
  const { code } = await check(port);
  server.close();
  return code;
}

it("the health check of the image passes on 200 alone, or where HTTP_PORT is not set", async () => {
  const [, ...args] = execForm(linesOf(image, "HEALTHCHECK").at(-1));
  const check = (port: string) => runNode(args, root, { HTTP_PORT: port });
  const healthy = (status: number) => checked(check, "/healthz", status);

  expect((await runNode(args, root)).code).toBe(0);
  expect((await check(" ")).code).toBe(0);
  expect([await healthy(200), await healthy(503), await healthy(404)]).toEqual([0, 1, 1]);
  expect((await check(String(await freePort()))).code).toBe(1);
});

describe("the compose file of several processes", () => {
  /** A part at the left edge or two spaces in, with everything that is indented below it. */
  const part = (name: string) =>
    new RegExp(`^(?<edge>(?: {2})?)${name}:(?: &\\w+)?\n(?:\\k<edge> +.*\n|\n)*`, "m").exec(cluster)?.[0] ?? "";
  const [processes, databases, storage, queue] = ["x-process", "x-database", "storage", "queue"].map(part);
  const megabytesOf = (text = "") => Number.parseInt(linesOf(text, "mem_limit").join(), 10);

  it("hardens every container as the file of one process hardens its own", () => {
    for (const text of [compose, processes, databases]) {
      for (const rule of [
        "read_only: true",
        "cap_drop: [ALL]",
        "core: 0",
        "pids_limit",
        '["no-new-privileges:true"]',
      ]) {
        expect(text).toContain(rule);
      }
    }
    for (const text of [compose, processes, storage, queue]) {
      expect(linesOf(text ?? "", "memswap_limit"), "no swap").toEqual([`${megabytesOf(text)}m`]);
    }
    expect(linesOf(`${storage}${queue}`, "user")).toEqual(["postgres", "redis"]);
    expect(cluster.match(/<<: \*(?:process|bot|worker|database)$/gm)).toHaveLength(8);
    expect(linesOf(databases ?? "", "networks"), "only its own processes reach a database").toEqual(["[inside]"]);
    expect(linesOf(`${storage}${queue}`, "networks")).toEqual([]);
    expect(part("inside")).toContain("internal: true");
    expect(cluster).not.toMatch(/^ *ports:/m);
  });

  it("gives a process more memory than 10,000 servers and the health check take, by a tenth at least", () => {
    const row = /^\| The larger of two workers: resident memory; heap \|.* (\d+); \d+ MB \|$/m.exec(
      read("docs/benchmarks.md"),
    );
    const [, check] = /the\s+health\s+check\s+takes\s+(\d+)\s+MB/.exec(read("docs/hosting/docker.md")) ?? [];
    expect(megabytesOf(processes)).toBeGreaterThan((Number(row?.[1]) + Number(check)) * 1.1);
  });

  it("contains no secret, and starts nothing without the secrets or before databases and proxy are healthy", () => {
    for (const name of ["DISCORD_TOKEN", "SECRET_KEYS", "POSTGRES_PASSWORD"]) {
      expect(linesOf(cluster, name), name).toEqual([expect.stringMatching(new RegExp(`^\\$\\{${name}:\\?`))]);
    }
    const password = /^postgres:\/\/shopbell:\$\{POSTGRES_PASSWORD:\?[^}]+\}@storage:5432\/shopbell$/;
    expect(linesOf(cluster, "STORAGE_URL")).toEqual([expect.stringMatching(password)]);
    const names = [...part("x-bot").matchAll(/^ +(\w+): \{ condition: service_healthy \}$/gm)].map(([, name]) => name);
    expect(names).toEqual(["storage", "queue", "proxy"]);
  });

  it("keeps what must not be lost in PostgreSQL, in a volume, and the queue in a Redis that forgets nothing", () => {
    expect(linesOf(storage ?? "", "- storage")).toEqual(["/var/lib/postgresql/data"]);
    const command = execForm(linesOf(queue ?? "", "command").at(0)).join(" ");
    expect(command).toMatch(/^redis-server .*--appendonly yes .*--maxmemory-policy noeviction$/);
    const [, maxmemory] = /--maxmemory (\d+)mb/.exec(command) ?? [];
    expect(megabytesOf(queue)).toBe(2 * Number(maxmemory));
  });

  it("runs what npm run proxy runs, and gives it Discord's own address", () => {
    const proxy = part("proxy");
    expect(execForm(linesOf(proxy, "command").at(0)).join(" ")).toBe(manifest.scripts.proxy);
    for (const name of ["DISCORD_REQUESTS_PER_SECOND", "LOG_LEVEL"]) {
      expect(linesOf(proxy, name)).toEqual([`\${${name}:-}`]);
    }
    expect(linesOf(proxy, "DISCORD_API_URL")).toEqual(["https://discord.com/api"]);
  });

  it.each([
    ["x-bot", "/readyz"],
    ["proxy", "/healthz"],
  ])("takes %s for healthy while %s answers 200", async (name, path) => {
    const [, , ...args] = execForm(linesOf(part(name), "test").at(-1));
    const check = (port: string) =>
      runNode(
        args.map((arg) => arg.replace(/(?<=127\.0\.0\.1:)\d+/, port)),
        root,
      );
    expect([await checked(check, path, 200), await checked(check, path, 503)]).toEqual([0, 1]);
  });
});

describe("the units for systemd", () => {
  it("start what npm start starts, with the code in /opt/shopbell", () => {
    const command = manifest.scripts.start.replace(/^node /, "/usr/bin/node ").replace("src/", "/opt/shopbell/src/");
    expect(linesOf(unit, "ExecStart")).toEqual([command]);
    expect(linesOf(workerUnit, "ExecStart")).toEqual([command]);
    expect(linesOf(workerUnit, "Environment")).toContain("ROLE=worker HTTP_PORT=%i");
    expect(linesOf(proxyUnit, "ExecStart")).toEqual([command.replace("start.js", "tools/proxy.ts")]);
  });

  it("are hardened alike", () => {
    const hardening = unit.slice(unit.indexOf("LimitCORE"), unit.indexOf("[Install]"));
    expect(hardening.split("\n").length).toBeGreaterThan(15);
    expect(workerUnit).toContain(hardening);
    expect(proxyUnit).toContain(hardening);
  });
});

/** The keys that this test reads. The panel parses the texts of `config` again (app/Services/Eggs/EggParserService.php). */
const eggSchema = z.object({
  meta: z.object({ version: z.literal("PTDL_v2") }),
  // The file manager of a panel refuses to upload a listed file, and leaves it out when it unpacks an archive.
  file_denylist: z.tuple([]),
  startup: z.string(),
  config: z.object({ files: z.literal("{}"), startup: z.string(), logs: z.literal("{}"), stop: z.string() }),
  scripts: z.object({ installation: z.object({ container: z.string() }) }),
  variables: z.array(z.object({ env_variable: z.string(), default_value: z.string(), rules: z.string() })),
});

describe("the egg for panels", () => {
  const { startup, config, variables, scripts } = eggSchema.parse(JSON.parse(egg));

  it("asks for what the process needs, and starts it with every name that it asks for", () => {
    const given = { DISCORD_TOKEN: "a.b.c", STORE_API_URL: "https://api.example.com" };
    const required = variables.filter(({ rules, default_value: value }) => /\brequired\b/.test(rules) && value === "");
    expect(required.map(({ env_variable: name }) => name)).toEqual(Object.keys(given));

    const all = Object.fromEntries(variables.map((one) => [one.env_variable, one.default_value]));
    expect(readConfig({ ...all, ...given }).logLevel).toBe("info");
  });

  it("starts what npm start starts, ends it with SIGINT, knows when it is up, and leaves no core file", () => {
    expect(startup).toMatch(/^ulimit -c 0;/);
    expect(startup.endsWith(`exec ${manifest.scripts.start}`)).toBe(true);
    expect(config.stop).toBe("^C");
    const gateway = read("src/discord/gateway/gateway.ts");
    const { done } = z.object({ done: z.array(z.string()) }).parse(JSON.parse(config.startup));
    expect(done.filter((message) => !gateway.includes(`"${message}"`))).toEqual([]);
    expect(done).toContain("connected to Discord");
  });

  it("installs on the Node that the process needs", () => {
    const [, major] = /^node:(\d+)/.exec(scripts.installation.container) ?? [];
    expect(manifest.engines.node).toBe(`>=${major}`);
  });
});

it("neither leaves a core file, in which the tokens would be, and both wait longer for the end than 10 s", () => {
  expect(linesOf(unit, "LimitCORE")).toEqual(["0"]);
  expect([compose, cluster].map((text) => linesOf(text, "core"))).toEqual([["0"], ["0", "0"]]);
  const composed = [compose, cluster].map((text) => linesOf(text, "stop_grace_period"));
  const units = [unit, workerUnit, proxyUnit].map((text) => linesOf(text, "TimeoutStopSec"));
  for (const [patience = ""] of [...composed, ...units]) expect(Number.parseInt(patience, 10)).toBeGreaterThan(10);
});
