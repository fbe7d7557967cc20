import { DatabaseSync } from "node:sqlite";
import { workerData } from "node:worker_threads";
import { z } from "zod";
import { storageTimeoutMs } from "./backend.ts";

// What a worker of `copy-sqlite.ts` does: the statement takes its time, in which nothing else happens in its thread.
const { from, to } = z.object({ from: z.string(), to: z.string() }).parse(workerData);
const database = new DatabaseSync(from, { timeout: storageTimeoutMs });
try {
  database.prepare("VACUUM INTO ?").run(to);
} finally {
  database.close();
}
