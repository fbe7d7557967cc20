import { baselineTable } from "./baseline/baseline-row.ts";
import { auditLogTable } from "./handling/audit-log.ts";
import { takesTable } from "./handling/takes.ts";
import { witnessesTable } from "./orders/ledger.ts";
import { openOrdersTable, ordersTable } from "./orders/order-row.ts";
import { outboxTable } from "./orders/outbox-row.ts";
import { digestStatesTable } from "./outbox/digest-due.ts";
import { noticesTable } from "./outbox/notices.ts";
import { importedTable, importsTable } from "./reports/import-records.ts";
import { storedSumsTable } from "./reports/stored-sums.ts";
import { sessionKinds } from "./sessions/session-kinds.ts";
import { keptTable, sessionsTable } from "./sessions/sessions.ts";
import { anyTable } from "./storage/migrations/move-rows.ts";
import type { Storage } from "./storage/table.ts";

/**
 * Each server has its own tables of these kinds. The outbox must be cleared first. If a message is sent during the deletion,
 * its row is then gone. So the commit after the send is refused, and writes nothing into the other tables.
 */
const ownTables = [
  ...[outboxTable, ordersTable, openOrdersTable, importedTable, storedSumsTable, auditLogTable, takesTable],
  ...sessionKinds.map(({ name }) => sessionsTable(name)),
];
/** Keys are server ids. */
const sharedTables = [
  ...[witnessesTable, digestStatesTable, baselineTable, noticesTable, importsTable],
  ...sessionKinds.map(({ name }) => keptTable(name)),
];

/**
 * Deletes all data of a server, except its record and the note that it was greeted. Before that, `Alerts.forget` removes the
 * token from the record, so that no process stores anything for the server (`Guilds.mayKeep`).
 */
export async function forgetServer(storage: Pick<Storage, "table">, guildId: string): Promise<void> {
  for (const { name } of ownTables) await storage.table(anyTable(name), guildId).clear();
  for (const { name } of sharedTables) await storage.table(anyTable(name)).delete(guildId);
}
