import { type Checker, clockOf, type Evidence, minute } from "../world/record.ts";
import { finding } from "./reading.ts";

/** Longest time from the end of a failure until the log has the last error that it caused. */
const lateMs = 2 * minute;

/** The log has errors of the storage only while the disk fails, and other errors only while Discord fails. */
function failed({ logged, troubles }: Evidence) {
  const [first] = logged.filter(({ at, message }) => {
    const cause = message.includes("StorageError") ? "disk" : "discord";
    return !troubles.some(({ kind, from, to }) => kind === cause && from <= at && to >= at - lateMs);
  });
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
