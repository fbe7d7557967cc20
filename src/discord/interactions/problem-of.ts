import { VaultError } from "../../guilds/vault.ts";
import { MessengerError } from "../../outbox/messenger.ts";
import { StorageError } from "../../storage/table.ts";
import { StoreError } from "../../store-api/store-error.ts";
import { type Problem, ProblemError } from "../../views/parts/problem.ts";

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
