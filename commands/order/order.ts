import { sampleId } from "../../src/alerts/sample-order.ts";
import { defineCommand, execute, type Press } from "../../src/discord/commands/define-command.ts";
import { texts } from "../../src/locales/texts.ts";
import { orderIdIn } from "../../src/store-queries/find-order.ts";
import { notice } from "../../src/views/parts/notice.ts";
import { orderOption } from "../options.ts";
import { type OpenedFrom, readCard } from "../show-order.ts";
import { onAlert, onCard } from "./handling-answers.ts";

const alertOf = ({ message }: Press): OpenedFrom => ({ alert: message?.id });

export const order = defineCommand("order", {
  execute: execute({
    options: { id: orderOption },
    async run(caller, services) {
      const shop = await services.connected();
      return readCard(caller, services, await orderIdIn(caller.options.id, shop, services));
    },
  }),

  handlers: {
    buttons: {
      // The answer is private, although everybody in the channel sees the alert.
      open: {
        answer: "ephemeral",
        run: async (press, services) =>
          press.args.id === sampleId
            ? notice(texts(press.locale).setUp.isSample)
            : readCard(press, services, press.args.id, alertOf(press)),
      },
      take: onAlert("take"),
      done: onAlert("done"),
      back: onAlert("back"),
      "card-take": onCard("take"),
      "card-done": onCard("done"),
      "card-back": onCard("back"),
      "list-take": onCard("take"),
      "list-done": onCard("done"),
      "list-back": onCard("back"),
    },
    menus: {
      pick: {
        answer: "ephemeral",
        run: (choice, services) => readCard(choice, services, choice.value, alertOf(choice)),
      },
    },
  },
});
