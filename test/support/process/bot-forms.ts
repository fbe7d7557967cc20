import {
  type DatabaseServer,
  postgresInstalled,
  redisInstalled,
  startPostgresServer,
  startRedisServer,
} from "./database-server.ts";
import type { Bot, World } from "./world.ts";

type Environment = Readonly<Record<string, string>>;

/** A way to run the bot, with the servers that it needs. */
export interface OpenForm extends AsyncDisposable {
  /** Resolves when the bot polls and takes commands. The result is the process that takes commands. */
  start(world: World): Promise<Bot>;
}

export interface BotForm {
  readonly name: string;
  /** Whether this machine has the programs for it. */
  readonly isInstalled: boolean;
  open(): Promise<OpenForm>;
}

export const sharedKeys = { SECRET_KEYS: Buffer.alloc(32, 7).toString("base64") };

/** Resolves when all processes are ready. */
export async function startCrew(
  world: World,
  environment: Environment,
  workerCount = 2,
): Promise<{ gateway: Bot; workers: Bot[] }> {
  const workers = Array.from({ length: workerCount }, () => world.launch({ ...environment, ROLE: "worker" }));
  const gateway = await world.start({ ...environment, ROLE: "gateway" });
  await Promise.all(workers.map((worker) => worker.printed('"msg":"ready"')));
  return { gateway, workers };
}

const single = (environment: Environment) => (world: World) => world.start(environment);

/** Each world has its own file. */
export const onSqlite: BotForm = {
  name: "one process on sqlite",
  isInstalled: true,
  open: async () => ({ start: single({}), [Symbol.asyncDispose]: async () => undefined }),
};

const onServer = (name: string, isInstalled: boolean, start: () => Promise<DatabaseServer>): BotForm => ({
  name,
  isInstalled,
  async open() {
    const server = await start();
    return { start: single({ STORAGE_URL: server.url }), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  },
});

export const onRedis = onServer("one process on redis://", redisInstalled, startRedisServer);
export const onPostgres = onServer("one process on postgres://", postgresInstalled, startPostgresServer);

/** Settings of processes that share a queue and a storage in one Redis. */
export const queueOn = ({ url }: DatabaseServer): Environment => ({
  ...sharedKeys,
  QUEUE_URL: url,
  STORAGE_URL: `${url}/1`,
});
