import type { Role } from "../config.ts";
import { isPolled } from "../polling/exclude-bots.ts";
import type { Storage } from "../storage/table.ts";
import { type Finding, ok, warn } from "./finding.ts";

/**
 * Whether a process polls on this storage. Of one that answers commands alone nothing is seen there. Throws `StorageError`.
 *
 * @param role of the process whose settings these are: where that does one thing only, another one has to do the other
 */
export async function checkBot(storage: Storage, role: Role): Promise<Finding> {
  const isAll = role === "all";
  if (await isPolled(storage)) {
    const says = isAll ? "one runs" : "a worker runs";
    const beside = isAll ? "" : "; whether a gateway answers commands is not seen from here";
    return ok("Bot", `${says} on this storage${beside}`);
  }
  return isAll
    ? warn("Bot", "none runs on this storage, so no alerts are sent", "start it: npm start")
    : warn("Bot", "no worker runs on this storage, so no alerts are sent", "start one: npm start, with ROLE=worker");
}
