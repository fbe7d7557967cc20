import { randomBytes } from "node:crypto";
import { localeOf } from "../../basics/locale.ts";
import type { Log } from "../../basics/log.ts";
import { VaultError } from "../../guilds/vault.ts";
import { MessengerError } from "../../outbox/messenger.ts";
import { StorageError } from "../../storage/table.ts";
import { StoreError } from "../../store-api/store-error.ts";
import { type Problem, ProblemError, problemNotice } from "../../views/parts/problem.ts";
import type { Answerable, ServedInteraction } from "./interaction.ts";

const byAnybody: ReadonlySet<string> = new Set([
  "cooldown",
  "not_allowed",
  "managers_only",
  "unknown_action",
  "guild_only",
]);

/** `nameOf` returns the name of the command, for the log. `ending` is aborted when the process ends. */
export interface NoticeDeps {
  readonly log: Log;
  readonly nameOf: (interaction: ServedInteraction) => string | undefined;
  readonly ending: AbortSignal;
}

/** People do not see the text of an error, except the store's message, which store-api/read-refusal.ts has cleaned. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof StoreError) return { code: error.code, detail: error.detail, retryAfterMs: error.retryAfterMs };
  if (error instanceof StorageError) return { code: error.code };
  if (error instanceof VaultError) return { code: "undecryptable" };
  if (error instanceof MessengerError) {
    if (error.code === "channel_gone" || error.code === "forbidden") return { code: error.code };
    if (error.code === "uncertain") return { code: "discord_down" };
  }
  return { code: "internal" };
}

/** Logs the error, and returns what the person sees. */
export function noticeOf(error: unknown, interaction: Answerable, { log, nameOf, ending }: NoticeDeps) {
  // A command that reads the store's orders is aborted when the process ends, so that another process can poll soon.
  const problem = error === ending.reason ? ({ code: "ending" } as const) : problemOf(error);
  // Any member can cause the problems in `byAnybody` on purpose, so these problems must not fill the log.
  const reference = byAnybody.has(problem.code) ? undefined : randomBytes(4).toString("hex");
  const isOurs = problem.code === "internal" || problem.code === "not_shown";
  const level = isOurs ? "error" : reference === undefined ? "debug" : "info";
  log[level](
    { err: error, reference, code: problem.code, command: nameOf(interaction), guild: interaction.guild_id },
    "an interaction ended with an error",
  );
  const buttons = error instanceof ProblemError ? error.buttons : [];
  return problemNotice(problem, localeOf(interaction.locale), reference, buttons);
}
