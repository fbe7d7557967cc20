import { z } from "zod";
import type { Storage } from "../table.ts";

/** A list of taken orders, by the ids of servers. The same is in the rows of `takes:<server>`. */
const takenTable = { name: "taken", schema: z.unknown(), version: 1 };
/** How polls of a server go, by its id. The next failure is reported in the server's row of `trouble`. */
const healthTable = { name: "health", schema: z.unknown(), version: 1 };

/** Removes what other tables hold as well. Running it again changes nothing more. Throws `StorageError`. */
export async function toFewerTables(storage: Pick<Storage, "table">): Promise<void> {
  await storage.table(takenTable).clear();
  await storage.table(healthTable).clear();
}
