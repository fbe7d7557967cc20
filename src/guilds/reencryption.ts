import { Mutex } from "../basics/limits/mutex.ts";
import type { Log } from "../basics/log.ts";
import type { Guilds } from "./guilds.ts";
import type { Vault } from "./vault.ts";

const lostMessage =
  "no key opens this server's API token; put the key back in SECRET_KEYS whose id is in the field `needs`, or have the store connected again";
const reencryptedMessage =
  "API tokens of older keys are encrypted with the first key; when 0 remain, the older keys can be removed from SECRET_KEYS";
const retryMs = 60 * 60_000;

/**
 * Returns a function that finds the tokens that an older key encrypted, and encrypts them with the first key. It logs the
 * servers whose token no key can decrypt. Only a process that polls may call it. After a failure, it runs again in an hour.
 */
export function createReencryption(deps: {
  readonly guilds: Pick<Guilds, "reencrypt">;
  readonly vault: Pick<Vault, "keyIds">;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  readonly signal: AbortSignal;
}): () => Promise<void> {
  const { guilds, log, signal } = deps;
  const { keyIds } = deps.vault;
  const turns = new Mutex();
  /** One run reads every record, so all callers that wait for the next run share it. */
  let isDue = false;
  let again: NodeJS.Timeout | undefined;
  let loggedLost: ReadonlySet<string> = new Set();
  /** With several keys, the first run logs the number of remaining tokens even if it is 0. */
  let loggedRemaining = keyIds.length > 1 ? undefined : 0;

  async function reencrypt() {
    const { renewed, lost, unread } = await guilds.reencrypt();
    for (const [guild, needs] of lost) if (!loggedLost.has(guild)) log.warn({ guild, needs, keyIds }, lostMessage);
    loggedLost = new Set(lost.keys());
    const remaining = lost.size + unread;
    if (renewed > 0 || remaining !== loggedRemaining) log.info({ renewed, remaining }, reencryptedMessage);
    loggedRemaining = remaining;
  }

  async function reencryptDue() {
    if (!isDue || signal.aborted) return;
    isDue = false;
    try {
      await reencrypt();
    } catch (error) {
      // When the process ends, the storage may be closed while this work still runs. Errors of the work then mean nothing.
      if (signal.aborted) return;
      log.error({ err: error }, "could not encrypt the API tokens with the first key; trying again in an hour");
      clearTimeout(again);
      again = setTimeout(() => void ask(), retryMs).unref();
    }
  }

  function ask(): Promise<void> {
    isDue = true;
    return turns.run(reencryptDue);
  }
  return ask;
}
