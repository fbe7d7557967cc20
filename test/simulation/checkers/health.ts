import { type Checker, clockOf } from "../world/record.ts";

/** No process ends by an error that nobody caught. Nothing that the bot sends violates Discord's specification. */
export const health: Checker = ({ crashes, refusals }) => [
  ...crashes.map(({ at, message }) => ({ what: "crashed", text: `at ${clockOf(at)}: ${message}` })),
  // An interaction may be answered twice: by two processes, or again after a lost answer.
  ...refusals
    .filter((text) => !text.includes("already been acknowledged"))
    .map((text) => ({ what: "refused by Discord", text })),
];
