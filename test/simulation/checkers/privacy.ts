import { type Checker, clockOf } from "../world/record.ts";
import { finding, kindOf } from "./reading.ts";
import { possibleIn } from "./settings.ts";

/** Time for an edit that had begun when the setting was changed. */
const onItsWayMs = 30_000;

/** Only alerts of one order in the channel of alerts show a customer, and only as the settings say. */
export const privacy: Checker = (evidence) => {
  return evidence.messages.flatMap((message) =>
    message.versions.flatMap(({ at, text, orders, card }, index) => {
      // A press on a button changes only the text and the buttons of an alert, not its card.
      if (card === message.versions[index - 1]?.card) return [];
      const here = possibleIn(evidence, at - onItsWayMs, at).filter(
        ({ alerts }) => alerts?.channelId === message.channelId && orders.length === 1 && kindOf(message) === "alert",
      );
      const shown = orders
        .map((id) => evidence.orders.get(id)?.customer)
        .find((customer) => customer !== undefined && (text.includes(customer.email) || text.includes(customer.name)));
      const isLeaked = shown !== undefined && !here.some((settings) => settings.privacy === "full");
      const isHinted = text.includes("•••@") && !here.some((settings) => settings.privacy === "masked");
      if (!isLeaked && !isHinted) return [];
      return finding("customer shown", `${shown?.email ?? "masked"} at ${clockOf(at)}`);
    }),
  );
};
