import { type Budget, createBudget } from "../../basics/limits/budget.ts";
import { budgets } from "../../basics/limits/budgets.ts";
import { MessengerError } from "../../outbox/messenger.ts";
import { blocksChannel } from "../../outbox/notices.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import { type Caller, isManager } from "./caller.ts";

/**
 * Runs work that Discord or the store may refuse. If too much was refused lately, it throws a `ProblemError`
 * ("cooldown") and does not run the work.
 */
export type Attempts = <T>(
  caller: Pick<Caller, "guildId" | "userId" | "permissions">,
  work: () => Promise<T>,
) => Promise<T>;

/**
 * Spends one attempt in every budget, or in none, before the work begins, so parallel attempts are bounded as well. The
 * attempt is given back if the work succeeds, or fails with an error that does not count.
 */
async function metered<T>(
  spends: readonly (readonly [budget: Budget, key: string])[],
  work: () => Promise<T>,
  counts: (error: unknown) => boolean,
): Promise<T> {
  for (const [index, [budget, key]] of spends.entries()) {
    const waitMs = budget.spend(key);
    if (waitMs === 0) continue;
    for (const [before, beforeKey] of spends.slice(0, index)) before.giveBack(beforeKey);
    throw new ProblemError({ code: "cooldown", seconds: Math.ceil(waitMs / 1_000) });
  }
  let isRefused = false;
  try {
    return await work();
  } catch (error) {
    isRefused = counts(error);
    throw error;
  } finally {
    if (!isRefused) for (const [budget, key] of spends) budget.giveBack(key);
  }
}

const isRefusedByDiscord = (error: unknown) => error instanceof MessengerError && blocksChannel(error.code);

/**
 * Limits requests that Discord may refuse. Discord bans the address of a bot with too many refusals, and then no server
 * is served. Refusals are counted for each person, and for all people of a server together. Members with Manage Server
 * are counted separately.
 */
export function createAttempts(monotonic?: () => number): Attempts {
  const { ofPerson, ofServer, ofManagers } = budgets.refusedAttempts;
  const person = createBudget(ofPerson, monotonic);
  const server = createBudget(ofServer, monotonic);
  const managers = createBudget(ofManagers, monotonic);
  return (caller, work) => {
    const { guildId, userId } = caller;
    const together = isManager(caller) ? managers : server;
    const spends = [[person, `${guildId}:${userId}`] as const, [together, guildId] as const];
    return metered(spends, work, isRefusedByDiscord);
  };
}

/** Limits attempts to connect a store. Every API token that the store does not accept counts, for any reason. */
export function createTokenAttempts(monotonic?: () => number): Attempts {
  const { ofPerson, ofProcess } = budgets.refusedTokens;
  const person = createBudget(ofPerson, monotonic);
  const all = createBudget(ofProcess, monotonic);
  return ({ userId }, work) => metered([[person, userId] as const, [all, ""] as const], work, () => true);
}
