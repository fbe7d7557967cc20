import { statsAnswer } from "../src/discord/stats-answer.ts";
import { periods } from "../src/reports/periods.ts";
import { defineCommand, execute } from "../src/services.ts";

export const stats = defineCommand("stats", {
  execute: execute({
    options: { period: { kind: "string", required: true, choices: periods } },
    answer: "ephemeral",
    run: (caller, services, reply) => statsAnswer(caller, services, reply, caller.options.period),
  }),
});
