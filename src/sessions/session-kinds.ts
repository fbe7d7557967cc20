import { z } from "zod";
import { type ChosenAlerts, chosenAlertsSchema } from "../baseline/turn-on.ts";
import type { Member } from "../basics/discord-id.ts";
import { budgets } from "../basics/limits/budgets.ts";
import { type ListQuery, listQuerySchema } from "../store-queries/search-orders.ts";
import { ProblemError } from "../views/parts/problem.ts";
import { alertTriggers } from "../views/settings/set-up.ts";
import { draftsKind } from "./drafts.ts";
import type { SessionKind, Sessions } from "./sessions.ts";

const bounds = budgets.sessions;

export const listsKind: SessionKind<ListQuery> = { name: "lists", schema: listQuerySchema, bounds: budgets.queries };

export const unconfirmedKind: SessionKind<ChosenAlerts> = { name: "unconfirmed", schema: chosenAlertsSchema, bounds };

const setUpSchema = z.object({
  channelId: z.string().optional(),
  roleId: z.string().optional(),
  rings: z.enum(alertTriggers),
});

/** These choices take effect when the person asks for a sample. */
export type SetUp = Readonly<z.infer<typeof setUpSchema>>;
export const setUpsKind: SessionKind<SetUp> = { name: "set-ups", schema: setUpSchema, bounds };

const exportSchema = z.object({ what: z.enum(["orders", "products", "stats"]) });

/** When the session is deleted, the export or the reading for statistics stops. */
export type ExportSession = Readonly<z.infer<typeof exportSchema>>;
export const exportsKind: SessionKind<ExportSession> = { name: "exports", schema: exportSchema, bounds };

export const hasExpired = (error: unknown): boolean => error instanceof ProblemError && error.code === "expired";

/** Begins a task that **Cancel** ends: a press deletes the task's session. Without a press, the end of the task deletes it. */
export async function cancellable(
  exports: Pick<Sessions<ExportSession>, "keep" | "find" | "take">,
  owner: Member,
  what: ExportSession["what"],
) {
  const session = await exports.keep(owner, { what });
  const isGone = (found: Promise<unknown>): Promise<boolean> => found.then(() => false, hasExpired);
  /** Returns whether the task was cancelled. If the session cannot be deleted, it expires after a day. */
  const end = () => isGone(exports.take(session, owner));
  return {
    session,
    isCancelled: () => isGone(exports.find(session, owner)),
    end,
    [Symbol.asyncDispose]: async () => void (await end()),
  };
}

const importFileSchema = z.object({
  url: z.string(),
  bytes: z.number(),
  /** A hash of everything that would be sent to the store. A later version of the bot may read the same file differently. */
  digest: z.string(),
});

/** A person saw the file's products, and may press **Create**. Only Discord stores the file's content. */
export type ImportFile = Readonly<z.infer<typeof importFileSchema>>;
export const importFilesKind: SessionKind<ImportFile> = { name: "import-plans", schema: importFileSchema, bounds };

/** When a server's data is deleted, its rows of these kinds are deleted. */
export const sessionKinds: readonly { readonly name: string }[] = [
  ...[listsKind, unconfirmedKind, setUpsKind, exportsKind, importFilesKind, draftsKind],
];
