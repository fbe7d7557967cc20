import { reasonOf } from "../basics/reason.ts";
import { type Finding, ok, shown, warn, wrong } from "./finding.ts";

/**
 * Whether the queue's Redis answers and keeps what it is given. Loaded only where there is a queue.
 *
 * @param url QUEUE_URL
 */
export async function checkQueue(url: string): Promise<Finding> {
  const { inspectRedis } = await import("../storage/redis-connection.ts");
  const { host } = new URL(url);
  try {
    const { version = "unknown", evictionPolicy } = await inspectRedis(url);
    const says = `${host} answers (Redis ${shown(version, 20)})`;
    if (evictionPolicy === undefined) return ok("Queue", says);
    const remedy = "set maxmemory-policy to noeviction there: what is thrown away are jobs of the polls";
    return warn("Queue", `${says}, but throws entries away when its memory is full`, remedy);
  } catch (error) {
    const remedy = "check QUEUE_URL, that Redis runs there, and that this machine may connect to it";
    return wrong("Queue", `${host} cannot be used (${shown(reasonOf(error))})`, remedy);
  }
}
