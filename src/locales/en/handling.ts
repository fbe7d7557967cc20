import { plural } from "./plural.ts";

/**
 * Texts about taking orders: who has an order, and reminders. `who` is a mention, which notifies no one; `when` is "3
 * minutes ago", or a date and a time.
 */
export const handling = {
  take: "Take",
  done: "Done",
  giveBack: "Give back",
  takenBy: (who: string, when: string) => `Taken by ${who}, ${when}`,
  doneBy: (who: string, when: string) => `Done by ${who}, ${when}`,
  givenBackBy: (who: string, when: string) => `Given back by ${who}, ${when}`,
  hasIt: (who: string, when: string) => `${who} has this order: they took it ${when}.`,
  youHaveIt: (when: string) => `You already have this order: you took it ${when}.`,
  isDone: (who: string, when: string) => `${who} finished this order ${when}.`,
  notTheirs: (who: string, when: string) =>
    `${who} took this order ${when}. Only they, or someone with the Manage Server permission, can do that.`,
  isFree: "Nobody has this order. Press **Take** to take it.",
  waits: "Order still waiting",
  wait: (count: number) => plural(count, { one: "1 order still waiting", other: `${count} orders still waiting` }),
  nobody: "Nobody has taken it.",
  remindersOff: "Reminders are off. Turn them on with `/alerts remind after: 30 minutes`.",
  remindersAfter: (after: string) =>
    `Reminders are on: one message for each order that still waits for the staff ${after} after its alert. An alert that was posted while reminders were off gets none.`,
  quiet: (from: string, to: string, zone: string) => `No reminders from ${from} to ${to} (${zone}).`,
};
