import { type ChosenAlerts, chosenAlertsSchema } from "../baseline/turn-on.ts";
import { budgets } from "../basics/budgets.ts";
import { type ListQuery, listQuerySchema } from "../store-queries/pages.ts";
import { type ExportSession, exportSessionSchema } from "./export.ts";
import { type ImportFile, importFileSchema } from "./import.ts";
import type { SessionKind } from "./sessions.ts";
import { type SetUp, setUpSchema } from "./set-up.ts";

const bounds = budgets.sessions;

/** Queries behind the buttons of lists. */
export const listsKind: SessionKind<ListQuery> = {
  name: "lists",
  schema: listQuerySchema,
  bounds: budgets.queries,
};

/** Alert settings that wait for a Confirm. */
export const unconfirmedKind: SessionKind<ChosenAlerts> = { name: "unconfirmed", schema: chosenAlertsSchema, bounds };

/** What was chosen after a store was connected, and is not in effect yet. */
export const setUpsKind: SessionKind<SetUp> = { name: "set-ups", schema: setUpSchema, bounds };

/** Exports and readings for figures under way. */
export const exportsKind: SessionKind<ExportSession> = { name: "exports", schema: exportSessionSchema, bounds };

/** Files of products that wait for their Create. */
export const importFilesKind: SessionKind<ImportFile> = { name: "import-plans", schema: importFileSchema, bounds };
