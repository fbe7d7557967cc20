import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";

/** On a free port of 127.0.0.1. */
export interface DatabaseServer extends AsyncDisposable {
  readonly url: string;
  readonly directory: string;
  /** Resolves when the server answers. The data of the previous run is there again. */
  start(): Promise<void>;
  /** Ends the server as `kill -9` does. */
  kill(): Promise<void>;
  /** Suspends the server: connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Also removes the data. */
  [Symbol.asyncDispose](): Promise<void>;
}

const START_MS = 40_000;

function findProgram(name: string, directories: readonly string[]): string | undefined {
  return directories.map((directory) => join(directory, name)).find((path) => existsSync(path));
}

const onPath = (process.env.PATH ?? "").split(delimiter);

function postgresDirectories(): string[] {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root) : [];
  return [...onPath, ...versions.map((version) => join(root, version, "bin"))];
}

async function untilReady(program: ChildProcess, ready: RegExp): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let output = "";
  const read = (chunk: Buffer) => {
    output += chunk.toString();
    if (ready.test(output)) resolve();
  };
  program.stdout?.on("data", read);
  program.stderr?.on("data", read);
  program.once("exit", () => reject(new Error(`the server ended: ${output}`)));
  program.once("error", reject);
  const timer = setTimeout(() => reject(new Error(`the server did not start: ${output}`)), START_MS);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
}

interface Program {
  url: string;
  directory: string;
  ready: RegExp;
  spawn(): ChildProcess;
  /** Sends the signal to child processes, too. */
  signal(server: ChildProcess, name: NodeJS.Signals): void;
}

async function startServer(program: Program): Promise<DatabaseServer> {
  let running: ChildProcess | undefined;
  const signal = (name: NodeJS.Signals) => {
    if (running !== undefined) program.signal(running, name);
  };
  const kill = async () => {
    const server = running;
    if (server === undefined) return;
    running = undefined;
    const ended = server.exitCode === null && server.signalCode === null ? once(server, "exit") : undefined;
    program.signal(server, "SIGKILL");
    await ended;
  };
  const server: DatabaseServer = {
    url: program.url,
    directory: program.directory,
    async start() {
      const until = performance.now() + START_MS;
      for (;;) {
        running = program.spawn();
        try {
          return await untilReady(running, program.ready);
        } catch (error) {
          // A killed server's child processes may live a moment longer and hold its memory.
          if (!String(error).includes("is still in use") || performance.now() > until) throw error;
        }
      }
    },
    kill,
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(program.directory, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

const redisServer = findProgram("redis-server", onPath);

export const redisInstalled = redisServer !== undefined;

/** Writes every change durably. */
export async function startRedisServer(): Promise<DatabaseServer> {
  if (redisServer === undefined) throw new Error("redis-server is not installed");
  const directory = await mkdtemp(join(tmpdir(), "shopbell-redis-"));
  const port = await freePort();
  const options = ["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, "--appendonly", "yes"];
  return startServer({
    url: `redis://127.0.0.1:${port}`,
    directory,
    ready: /Ready to accept connections/,
    spawn: () => spawn(redisServer, [...options, "--appendfsync", "always", "--save", ""]),
    signal: (server, name) => server.kill(name),
  });
}

// PostgreSQL refuses to run as root.
const asRoot = process.getuid?.() === 0;

function childrenOf(server: ChildProcess): number[] {
  const list = `/proc/${server.pid}/task/${server.pid}/children`;
  if (!existsSync(list)) return [];
  return readFileSync(list, "utf8").split(" ").filter(Boolean).map(Number);
}

function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process ended already.
  }
}

function postgresUser(): { uid: number; gid: number } | undefined {
  if (!asRoot) return undefined;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

const initdb = findProgram("initdb", postgresDirectories());
const postgres = findProgram("postgres", postgresDirectories());

export const postgresInstalled = initdb !== undefined && postgres !== undefined;

export async function startPostgresServer(): Promise<DatabaseServer> {
  if (initdb === undefined || postgres === undefined) throw new Error("PostgreSQL is not installed");
  const user = postgresUser();
  const directory = await mkdtemp(join(tmpdir(), "shopbell-postgres-"));
  const data = join(directory, "data");
  await mkdir(data);
  await chmod(directory, 0o755);
  if (user !== undefined) await chown(data, user.uid, user.gid);
  const identity = { ...user, cwd: data };
  execFileSync(initdb, ["-D", data, "-U", "shopbell", "--auth=trust", "--no-sync"], { ...identity, stdio: "pipe" });
  const port = await freePort();
  const options = ["-D", data, "-p", String(port), "-k", data, "-c", "listen_addresses=127.0.0.1"];
  return startServer({
    url: `postgres://shopbell@127.0.0.1:${port}/postgres`,
    directory,
    ready: /database system is ready to accept connections/,
    spawn: () => spawn(postgres, options, identity),
    signal(server, name) {
      // Each connection has its own process, which could outlive the server and go on answering.
      const children = childrenOf(server);
      server.kill(name);
      for (const pid of children) signalProcess(pid, name);
    },
  });
}

export async function runSql(url: string, sql: string): Promise<void> {
  const psql = findProgram("psql", postgresDirectories());
  if (psql === undefined) throw new Error("psql is not installed");
  await promisify(execFile)(psql, [url, "-c", sql]);
}
