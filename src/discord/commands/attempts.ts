import { type Budget, createBudget } from "../../basics/budget.ts";
import { budgets } from "../../basics/budgets.ts";
import { MessengerError } from "../../outbox/messenger.ts";
import { blocksChannel } from "../../outbox/notices.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import type { Caller } from "./caller.ts";
import { isManager } from "./caller.ts";

/** Does what may be refused, unless too much was refused lately: then it throws a `ProblemError` ("cooldown") and does nothing. */
export type Attempts = <T>(
  caller: Pick<Caller, "guildId" | "userId" | "permissions">,
  work: () => Promise<T>,
) => Promise<T>;

type Spend = readonly [budget: Budget, key: string];

/**
 * An attempt counts from its beginning, so that a thousand at once are no more than one after the other, in every budget or
 * in none. It is given back when it went well, or when it failed in a way that does not count.
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
 * For what Discord may refuse: it bans the address of a bot that it has to refuse too often, and every server with it. A
 * person's refusals are counted, and those of a server's people together, those with Manage Server apart.
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

/** For tokens that the store may refuse. Each counts that it did not accept, for whatever reason. */
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
