import { type Checker, clockOf } from "../world/record.ts";

/** No process ends by an error that nobody caught, and Discord's specification takes everything that is sent. */
export const health: Checker = ({ crashes, refusals }) => [
  ...crashes.map(({ at, message }) => ({ what: "crashed", text: `at ${clockOf(at)}: ${message}` })),
  // Of two processes, or after an answer that was lost, one answers what was answered.
  ...refusals
    .filter((text) => !text.includes("already been acknowledged"))
    .map((text) => ({ what: "refused by Discord", text })),
];
