import { type Budget, createBudget } from "../../basics/limits/budget.ts";
import { budgets } from "../../basics/limits/budgets.ts";
import { MessengerError } from "../../outbox/messenger.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import { type Caller, isManager } from "./caller.ts";

/**
 * Runs work that Discord or the store may refuse. If too much was refused lately, throws a `ProblemError` ("cooldown") instead.
 * Without `isRefused`, only an error can count as a refusal.
 */
export type Attempts = <T>(
  caller: Pick<Caller, "guildId" | "userId" | "permissions">,
  work: () => Promise<T>,
  isRefused?: (result: T) => boolean,
) => Promise<T>;

/** Takes from the budgets before the work begins, so parallel attempts are limited, too. */
async function metered<T>(
  spends: readonly (readonly [budget: Budget, key: string])[],
  work: () => Promise<T>,
  counts: (error: unknown) => boolean,
  isRefused: (result: T) => boolean = () => false,
): Promise<T> {
  for (const [index, [budget, key]] of spends.entries()) {
    const waitMs = budget.spend(key);
    if (waitMs === 0) continue;
    for (const [before, beforeKey] of spends.slice(0, index)) before.giveBack(beforeKey);
    throw new ProblemError({ code: "cooldown", seconds: Math.ceil(waitMs / 1_000) });
  }
  let isSpent = false;
  try {
    const result = await work();
    isSpent = isRefused(result);
    return result;
  } catch (error) {
    isSpent = counts(error);
    throw error;
  } finally {
    if (!isSpent) for (const [budget, key] of spends) budget.giveBack(key);
  }
}

const isRefusedByDiscord = (error: unknown) => error instanceof MessengerError && error.code === "forbidden";

/**
 * If Discord refuses too many requests (403), it bans the bot's address. Then the bot does not work in any server. Requests for
 * a channel that is gone (404) do not count. Members with Manage Server have a separate budget, so others cannot use it up.
 */
export function createAttempts(monotonic?: () => number): Attempts {
  const { ofPerson, ofServer, ofManagers } = budgets.refusedAttempts;
  const person = createBudget(ofPerson, monotonic);
  const server = createBudget(ofServer, monotonic);
  const managers = createBudget(ofManagers, monotonic);
  return (caller, work, isRefused) => {
    const { guildId, userId } = caller;
    const together = isManager(caller) ? managers : server;
    const spends = [[person, `${guildId}:${userId}`] as const, [together, guildId] as const];
    return metered(spends, work, isRefusedByDiscord, isRefused);
  };
}

export function createTokenAttempts(monotonic?: () => number): Attempts {
  const { ofPerson, ofProcess } = budgets.refusedTokens;
  const person = createBudget(ofPerson, monotonic);
  const all = createBudget(ofProcess, monotonic);
  return ({ userId }, work) => metered([[person, userId] as const, [all, ""] as const], work, () => true);
}
