import { printable } from "../basics/printable.ts";
import { reasonOf } from "../basics/reason.ts";
import { fromLine, ok, type Result, wrong } from "./finding.ts";

/** Whether the queue's Redis (QUEUE_URL) answers, takes writes and keeps its entries. */
export async function checkQueue(url: string): Promise<Result> {
  const { inspectRedisAt, redisProblem } = await import("../storage/redis-connection.ts");
  const { host } = new URL(url);
  try {
    const info = await inspectRedisAt(url);
    const problem = redisProblem(info, "QUEUE_URL");
    if (problem === undefined) return ok(`${host} answers (Redis ${printable(info.version ?? "unknown", 20)})`);
    // A replica never accepts jobs. The other problems are only warnings, because partitions are also polled without jobs.
    return fromLine(info.isReplica ? "wrong" : "warn", `${host}: ${problem}`);
  } catch (error) {
    const remedy = "check QUEUE_URL, that Redis runs there, and that this machine may connect to it";
    return wrong(`${host} cannot be used (${printable(reasonOf(error))})`, remedy);
  }
}
