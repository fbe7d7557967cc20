import { type Budget, createBudget } from "../../basics/budget.ts";
import { budgets } from "../../basics/budgets.ts";
import { MessengerError } from "../../outbox/messenger.ts";
import { blocksChannel } from "../../outbox/notices.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import type { Caller } from "./caller.ts";
import { isManager } from "./caller.ts";

/**
 * Runs work that Discord or the store may refuse. If too much was refused lately, it throws a `ProblemError`
 * ("cooldown") and does not run the work.
 */
export type Attempts = <T>(
  caller: Pick<Caller, "guildId" | "userId" | "permissions">,
  work: () => Promise<T>,
) => Promise<T>;

type Spend = readonly [budget: Budget, key: string];

/**
 * Spends one attempt in every budget, or in none, before the work begins, so parallel attempts are bounded as well. The
 * attempt is given back if the work succeeds, or fails with an error that does not count.
 */
async function metered<T>(spends: readonly Spend[], work: () => Promise<T>, counts: (error: unknown) => boolean) {
  const spent: Spend[] = [];
  const giveBack = () => {
    for (const [budget, key] of spent) budget.giveBack(key);
  };
  for (const [budget, key] of spends) {
    const waitMs = budget.spend(key);
    if (waitMs > 0) {
      giveBack();
      throw new ProblemError({ code: "cooldown", seconds: Math.ceil(waitMs / 1_000) });
    }
    spent.push([budget, key]);
  }
  try {
    const result = await work();
    giveBack();
    return result;
  } catch (error) {
    if (!counts(error)) giveBack();
    throw error;
  }
}

const budgetsOf = ({ ofPerson, ofServer, ofManagers } = budgets.refusedAttempts) => ({
  ofPerson: createBudget(ofPerson),
  ofServer: createBudget(ofServer),
  ofManagers: createBudget(ofManagers),
});

const isRefusedByDiscord = (error: unknown) => error instanceof MessengerError && blocksChannel(error.code);

/**
 * Limits requests that Discord may refuse. Discord bans the address of a bot with too many refusals, and then no server
 * is served. Refusals are counted for each person, and for all people of a server together. Members with Manage Server
 * are counted separately.
 */
export function createAttempts(
  { ofPerson, ofServer, ofManagers }: Record<"ofPerson" | "ofServer" | "ofManagers", Budget> = budgetsOf(),
): Attempts {
  return (caller, work) => {
    const { guildId, userId } = caller;
    const together = isManager(caller) ? ofManagers : ofServer;
    const spends: readonly Spend[] = [
      [ofPerson, `${guildId}:${userId}`],
      [together, guildId],
    ];
    return metered(spends, work, isRefusedByDiscord);
  };
}

const tokenBudgets = ({ ofPerson, ofProcess } = budgets.refusedTokens) => ({
  ofPerson: createBudget(ofPerson),
  ofProcess: createBudget(ofProcess),
});

/** Limits attempts to connect a store. Every API token that the store does not accept counts, for any reason. */
export function createTokenAttempts(
  { ofPerson, ofProcess }: Record<"ofPerson" | "ofProcess", Budget> = tokenBudgets(),
): Attempts {
  return ({ userId }, work) =>
    metered(
      [
        [ofPerson, userId],
        [ofProcess, ""],
      ],
      work,
      () => true,
    );
}
