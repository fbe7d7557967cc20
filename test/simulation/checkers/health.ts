import { type Checker, clockOf, type Evidence, minute } from "../world/record.ts";
import { finding, isWell } from "./reading.ts";

/** Longest time until the bot has recovered from a failure. */
const recoveryMs = 30 * minute;

/** While nothing is wrong, the log has no errors. */
function failed(evidence: Evidence) {
  const [first] = evidence.logged.filter(({ at }) => isWell(evidence, at - recoveryMs, at));
  return first === undefined ? [] : finding("error of nothing", `at ${clockOf(first.at)}: ${first.message}`);
}

/**
 * No process ends by an error that nobody caught, and no error is a fault of the program. Nothing that the bot sends violates
 * Discord's specification.
 */
export const health: Checker = (evidence) => [
  ...evidence.crashes.map(({ at, message }) => ({ what: "crashed", text: `at ${clockOf(at)}: ${message}` })),
  ...failed(evidence),
  // An interaction may be answered twice: by two processes, or again after a lost answer.
  ...evidence.refusals
    .filter((text) => !text.includes("already been acknowledged"))
    .map((text) => ({ what: "refused by Discord", text })),
];
