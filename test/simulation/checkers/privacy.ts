import { type Checker, clockOf } from "../world/record.ts";
import { finding, wasRestored } from "./reading.ts";
import { possibleIn } from "./settings.ts";

/** An edit that was being made as the setting changed. */
const onItsWayMs = 30_000;

/** No customer stands where the settings forbid it. */
export const privacy: Checker = (evidence) => {
  // With a copy of what was kept, the settings of that time come back.
  if (wasRestored(evidence)) return [];
  return evidence.messages.flatMap((message) =>
    message.versions.flatMap(({ at, text, orders, card }, index) => {
      // A press changes the text and the buttons alone.
      if (card === message.versions[index - 1]?.card) return [];
      const possible = possibleIn(evidence, at - onItsWayMs, at);
      const shown = orders
        .map((id) => evidence.orders.get(id)?.customer)
        .find((customer) => customer !== undefined && (text.includes(customer.email) || text.includes(customer.name)));
      const mayShow = possible.some((settings) => settings.privacy === "full");
      if (shown === undefined || mayShow) return [];
      return finding("customer shown", `${shown.email} at ${clockOf(at)}`);
    }),
  );
};
