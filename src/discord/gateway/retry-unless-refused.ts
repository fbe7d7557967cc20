import { DiscordAPIError, HTTPError, RateLimitError } from "@discordjs/rest";
import { sleep } from "../../basics/limits/sleep.ts";
import type { Log } from "../../basics/log.ts";
import { reasonOf } from "../../basics/reason.ts";
import { isRefusal } from "../rest/is-refusal.ts";
import { waitOf } from "../rest/rate-limits.ts";

const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

export const tokenRemedy =
  "check DISCORD_TOKEN in .env; Reset Token, in the Discord developer portal under Bot, makes a new one";

/** Whether an error code comes from the network or TLS. Node's other codes (`ERR_…`) mean a mistake in the program. */
const isOfNetwork = (reason: string) => /^[A-Z][A-Z_]+$/.test(reason) && !/^ERR_(?!TLS|SSL)/.test(reason);

/** Fields for the log. If the cause is the network or Discord, a stack would not help, so there is only the reason. */
export function failureFields(error: unknown): { reason: string } | { err: unknown } {
  if (error instanceof DiscordAPIError || error instanceof HTTPError)
    return { reason: `${error.status}: ${error.message}` };
  if (error instanceof RateLimitError) return { reason: `429 for ${Math.round(waitOf(error) / 1_000)} s` };
  const reason = reasonOf(error);
  const isLate = error instanceof Error && error.name === "AbortError";
  return isLate || isOfNetwork(reason) ? { reason } : { err: error };
}

export function connectionTrouble(error: unknown): [says: string, remedy: string] {
  if (error instanceof RateLimitError) {
    return [
      "Discord allows no requests for now",
      "find out what sends so many: other programs with this token or address",
    ];
  }
  // At a wrong address, another server may answer with 404 or another error, or with a web page in place of JSON.
  if (error instanceof DiscordAPIError || error instanceof TypeError || error instanceof SyntaxError) {
    return ["DISCORD_API_URL does not answer as Discord does", "check it, and any proxy or firewall in between"];
  }
  return [
    "Discord cannot be reached",
    "check this machine's network, DISCORD_API_URL if you set it, and https://discordstatus.com",
  ];
}

/** `message` is for the operator. */
export class DiscordRefusedError extends Error {
  readonly code = "discord_refused";

  constructor(detail: string, remedy = tokenRemedy) {
    super(`Discord refused the bot (${detail}); ${remedy}`);
    this.name = "DiscordRefusedError";
  }
}

/**
 * Repeats `work`, a request at the bot's start, until it succeeds. Throws `DiscordRefusedError` if Discord does not know the
 * token (401), or if `work` throws it. If `signal` aborts during a wait, the next attempt begins at once and is the last one.
 */
export async function retryUnlessRefused<T>(
  work: () => Promise<T>,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<T> {
  for (let delay = firstRetryMs; ; delay = Math.min(delay * 2, longestRetryMs)) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DiscordRefusedError || signal.aborted) throw error;
      if (isRefusal(error) && error.status === 401) throw new DiscordRefusedError(error.message);
      const limitMs = error instanceof RateLimitError ? waitOf(error) : 0;
      const retryInMs = Math.max(delay, limitMs);
      log.warn({ ...failureFields(error), retryInMs }, `${connectionTrouble(error).join("; ")}; trying again`);
      await sleep(retryInMs, signal).catch(() => undefined);
    }
  }
}
