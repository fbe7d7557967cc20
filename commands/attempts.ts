import { MessengerError } from "../src/alerts/messenger.ts";
import { isBlockage } from "../src/alerts/troubles.ts";
import { type Budget, createBudget } from "../src/basics/budget.ts";
import { budgets } from "../src/basics/budgets.ts";
import { ProblemError } from "../src/discord/problem-error.ts";

/**
 * Does what Discord may refuse for a person, unless it has refused too much of their server lately: then it throws a
 * `ProblemError` ("cooldown") and nothing is asked.
 */
export type Attempts = <T>(guildId: string, work: () => Promise<T>) => Promise<T>;

const isRefused = (error: unknown) => error instanceof MessengerError && isBlockage(error.code);

/**
 * Discord bans the address of a bot that it has to refuse too often, and every server with it. An attempt counts from its
 * beginning, so that a thousand at once are no more than one after the other, and is given back when it was not refused.
 */
export function createAttempts(refused: Budget = createBudget(budgets.refusedAttempts)): Attempts {
  return async (guildId, work) => {
    const waitMs = refused.spend(guildId);
    if (waitMs > 0) throw new ProblemError({ code: "cooldown", seconds: Math.ceil(waitMs / 1_000) });
    try {
      const result = await work();
      refused.giveBack(guildId);
      return result;
    } catch (error) {
      if (!isRefused(error)) refused.giveBack(guildId);
      throw error;
    }
  };
}
