import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type DatabaseServer,
  postgresInstalled,
  redisInstalled,
  startPostgresServer,
  startRedisServer,
} from "../support/process/database-server.ts";
import type { World } from "../support/process/world.ts";
import type { Fault, ReadyFault } from "./fault.ts";

/** Enough for the first entries and a log of some hundreds of them. */
const diskBytes = 4 << 20;
const pieceBytes = 4_096;
/** Short enough to take space that the bot frees before it needs the space again. */
const refillMs = 20;

/** Whether this user may mount. */
function canMount(): boolean {
  const place = join(tmpdir(), `shopbell-mount-${process.pid}`);
  try {
    mkdirSync(place);
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskBytes}`, "tmpfs", place], { stdio: "ignore" });
    execFileSync("umount", [place]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Takes all free space, also space that is freed later. */
function fill(path: string): { stop(): void } {
  const file = openSync(path, "w");
  const write = () => {
    for (let size = pieceBytes; size > 0; ) {
      try {
        writeSync(file, Buffer.alloc(size));
      } catch {
        size >>= 1;
      }
    }
  };
  write();
  const refilling = setInterval(write, refillMs);
  return {
    stop() {
      clearInterval(refilling);
      closeSync(file);
      rmSync(path);
    },
  };
}

async function prepareFullDisk({ directory }: World): Promise<ReadyFault> {
  const data = join(directory, "data");
  let filling: { stop(): void } | undefined;
  mkdirSync(data, { mode: 0o700 });
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskBytes},mode=0700`, "tmpfs", data]);
  const end = () => {
    filling?.stop();
    filling = undefined;
  };
  return {
    begin() {
      filling = fill(join(data, "filler"));
    },
    end,
    async clean() {
      end();
      execFileSync("umount", [data]);
    },
  };
}

export const fullDisk: Fault = {
  title: "The disk is full",
  made: "`data/` is a file system of 4 MiB that is full for 30 s.",
  lastsMs: 30_000,
  missing: () => (canMount() ? undefined : "only root may mount a small file system here"),
  prepare: prepareFullDisk,
};

export const smallFiles: Fault = {
  title: "No file may grow",
  made: "For 30 s the bot can write only the first 4 KiB of a file (`prlimit --fsize`), as if a quota were used up.",
  lastsMs: 30_000,
  async prepare() {
    const limit = (pid: number, bytes: string) =>
      execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`]);
    return {
      begin: ({ pid }) => limit(pid, "4096"),
      end: ({ pid }) => limit(pid, "unlimited"),
    };
  },
};

export const lockedDatabase: Fault = {
  title: "The database is locked",
  made: "Another process holds `BEGIN EXCLUSIVE` on the SQLite file for 30 s.",
  lastsMs: 30_000,
  async prepare({ database }) {
    let other: DatabaseSync | undefined;
    const release = () => {
      other?.close();
      other = undefined;
    };
    return {
      begin() {
        other = new DatabaseSync(database, { timeout: 5_000 });
        other.exec("BEGIN EXCLUSIVE");
      },
      end: release,
      async clean() {
        release();
      },
    };
  },
};

const killedServer = (open: () => Promise<DatabaseServer>) => async (): Promise<ReadyFault> => {
  const server = await open();
  return {
    environment: { STORAGE_URL: server.url },
    begin: () => server.kill(),
    end: () => server.start(),
    clean: () => server[Symbol.asyncDispose](),
  };
};

export const redisGone: Fault = {
  title: "Redis is gone",
  made: "With `STORAGE_URL=redis://…`: Redis is killed, and started again with its data after 30 s.",
  lastsMs: 30_000,
  missing: () => (redisInstalled ? undefined : "redis-server is not installed"),
  prepare: killedServer(startRedisServer),
};

export const postgresRestarted: Fault = {
  title: "PostgreSQL is restarted",
  made: "With `STORAGE_URL=postgres://…`: PostgreSQL is killed, and started again with its data after 5 s.",
  lastsMs: 5_000,
  missing: () => (postgresInstalled ? undefined : "PostgreSQL is not installed"),
  prepare: killedServer(startPostgresServer),
};
