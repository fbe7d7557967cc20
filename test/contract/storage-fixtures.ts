import { mkdtemp, open, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type DatabaseServer,
  postgresInstalled,
  redisInstalled,
  runSql,
  startPostgresServer,
  startRedisServer,
} from "../support/process/database-server.ts";

interface Breakage {
  readonly name: string;
  breakStore(): Promise<void>;
  mend(): Promise<void>;
}

export interface StorageFixture {
  readonly url: string;
  /** An address of the same kind without a database. */
  readonly nowhere: string;
  readonly breakages: readonly Breakage[];
  remove(): Promise<void>;
}

async function overwrite(path: string): Promise<void> {
  const file = await open(path, "r+");
  const { size } = await file.stat();
  await file.write(Buffer.alloc(Math.max(size, 4_096), 7));
  await file.close();
}

/** The file does not exist yet. */
export async function createSqliteFixture(): Promise<StorageFixture & { readonly file: string }> {
  const directory = await mkdtemp(join(tmpdir(), "shopbell-sqlite-"));
  const file = join(directory, "data", "shopbell.sqlite");
  const backup = join(directory, "backup.sqlite");
  return {
    file,
    url: `sqlite://${file}`,
    nowhere: "sqlite:///dev/null/shopbell.sqlite",
    breakages: [
      {
        name: "its file is overwritten",
        async breakStore() {
          const other = new DatabaseSync(file);
          other.prepare("VACUUM INTO ?").run(backup);
          other.close();
          await overwrite(file);
          await overwrite(`${file}-wal`);
        },
        async mend() {
          await rm(`${file}-wal`, { force: true });
          await rm(`${file}-shm`, { force: true });
          await rename(backup, file);
        },
      },
      {
        name: "its file is gone",
        breakStore: () => rename(file, backup),
        mend: () => rename(backup, file),
      },
    ],
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

function serverBreakages(server: DatabaseServer): Breakage[] {
  return [
    { name: "it is killed", breakStore: server.kill, mend: server.start },
    {
      name: "it no longer answers",
      breakStore: async () => server.freeze(),
      mend: async () => server.thaw(),
    },
  ];
}

export async function createRedisFixture(): Promise<StorageFixture> {
  const server = await startRedisServer();
  return {
    url: server.url,
    nowhere: "redis://127.0.0.1:1",
    breakages: serverBreakages(server),
    remove: () => server[Symbol.asyncDispose](),
  };
}

export async function createPostgresFixture(): Promise<StorageFixture> {
  const server = await startPostgresServer();
  return {
    url: server.url,
    nowhere: "postgres://shopbell@127.0.0.1:1/postgres",
    breakages: [
      ...serverBreakages(server),
      {
        name: "its table is gone",
        breakStore: () => runSql(server.url, "ALTER TABLE shopbell RENAME TO elsewhere"),
        mend: () => runSql(server.url, "ALTER TABLE elsewhere RENAME TO shopbell"),
      },
    ],
    remove: () => server[Symbol.asyncDispose](),
  };
}

/** `packages`: what each kind needs. */
export const storageKinds = [
  { kind: "sqlite", installed: true, create: createSqliteFixture, packages: "" },
  { kind: "redis", installed: redisInstalled, create: createRedisFixture, packages: "redis-server" },
  { kind: "postgres", installed: postgresInstalled, create: createPostgresFixture, packages: "postgresql" },
] as const;
