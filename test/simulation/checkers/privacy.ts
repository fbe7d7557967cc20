import { type Checker, clockOf } from "../world/record.ts";
import { finding, kindOf } from "./reading.ts";
import { possibleIn } from "./settings.ts";

/** Time for an edit that had begun when the setting was changed. */
const onItsWayMs = 30_000;

/** Only alerts of one order show a customer, and only if the settings say so. */
export const privacy: Checker = (evidence) => {
  return evidence.messages.flatMap((message) =>
    message.versions.flatMap(({ at, text, orders, card }, index) => {
      // A press on a button changes only the text and the buttons of an alert, not its card.
      if (card === message.versions[index - 1]?.card) return [];
      const possible = possibleIn(evidence, at - onItsWayMs, at);
      const shown = orders
        .map((id) => evidence.orders.get(id)?.customer)
        .find((customer) => customer !== undefined && (text.includes(customer.email) || text.includes(customer.name)));
      const isAlone = orders.length === 1 && kindOf(message) === "alert";
      const mayShow = isAlone && possible.some((settings) => settings.privacy === "full");
      if (shown === undefined || mayShow) return [];
      return finding("customer shown", `${shown.email} at ${clockOf(at)}`);
    }),
  );
};
