import type { Log } from "../basics/log.ts";
import type { Guilds } from "./guilds.ts";
import type { Vault } from "./vault.ts";

const lostMessage =
  "no key opens this server's API token; put the key back in SECRET_KEYS whose id is in the field `needs`, or have the store connected again";
const reencryptedMessage =
  "API tokens of older keys are encrypted with the first key; a day after 0 remain, the older keys can be removed from SECRET_KEYS";
const everyMs = 60 * 60_000;

/**
 * Returns a function that runs `Guilds.reencrypt`, and logs the servers whose token no key can decrypt. Only a process that
 * polls may call it. While the process polls, it also runs every hour, because a process with another first key may encrypt a
 * token at any time. Failures are logged.
 */
export function createReencryption(deps: {
  readonly guilds: Pick<Guilds, "reencrypt">;
  readonly vault: Pick<Vault, "keyIds">;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly signal: AbortSignal;
  isPolling(): boolean;
}): () => Promise<void> {
  const { guilds, log, signal } = deps;
  const { keyIds } = deps.vault;
  let loggedLost: ReadonlySet<string> = new Set();
  /** With several keys, the first run logs the number of remaining tokens even if it is 0. */
  let loggedRemaining = keyIds.length > 1 ? undefined : 0;

  async function reencrypt() {
    try {
      const { renewed, lost, unread } = await guilds.reencrypt();
      for (const [guild, needs] of lost) if (!loggedLost.has(guild)) log.warn({ guild, needs, keyIds }, lostMessage);
      loggedLost = new Set(lost.keys());
      const remaining = lost.size + unread;
      if (renewed > 0 || remaining !== loggedRemaining) log.info({ renewed, remaining }, reencryptedMessage);
      loggedRemaining = remaining;
    } catch (error) {
      // When the process ends, the storage may be closed while this work still runs. Errors of the work then mean nothing.
      if (signal.aborted) return;
      log.error({ err: error }, "could not encrypt the API tokens with the first key; trying again in an hour");
    }
  }

  setInterval(() => {
    if (deps.isPolling()) void reencrypt();
  }, everyMs).unref();
  return reencrypt;
}
