import { statsAnswer, statsDetailsAnswer } from "../src/discord/commands/stats-answer.ts";
import { periods } from "../src/reports/days.ts";
import { defineCommand, execute, handle } from "../src/services.ts";
import { customIds } from "../src/views/parts/custom-ids.ts";
import { exportCancelled } from "../src/views/reports/export.ts";

export const stats = defineCommand("stats", {
  execute: execute({
    options: { period: { kind: "string", required: true, choices: periods } },
    answer: "ephemeral",
    run: (caller, services, reply) => statsAnswer(caller, services, reply, caller.options.period),
  }),

  handlers: handle(customIds.stats, {
    buttons: {
      /** The button below a digest. Its answer is private, and the digest stays as it is. */
      today: { answer: "ephemeral", run: (press, services, reply) => statsAnswer(press, services, reply, "today") },
      details: { answer: "ephemeral", run: statsDetailsAnswer },
      cancel: {
        answer: "update",
        // A running reading notices this within about a second.
        run: async (press, services) => {
          const { what } = await services.exports.take(press.args.session, press);
          return exportCancelled(what, press.locale);
        },
      },
    },
    menus: {},
    windows: {},
  }),
});
