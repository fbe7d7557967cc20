import { expect, it } from "vitest";
import { alerts } from "../../../commands/alerts/alerts.ts";
import { statusesIn, suggestStatuses } from "../../../commands/typed-statuses.ts";
import { codeOf } from "../../support/code-of.ts";
import { channelId, createAlertDesk, fineChannel, manager } from "../../support/engine/alert-desk.ts";
import { textOf } from "../../support/views-support.ts";

/** The answer to `/alerts set`. The store's orders are `ON_HOLD`. */
function alertsFor(statuses: string) {
  const desk = createAlertDesk();
  const { connected } = desk.services;
  const cache = { recentOrders: async () => [{ status: "ON_HOLD" }] };
  Object.assign(desk.services, { connected: async () => ({ ...(await connected()), cache }) });
  return desk.run(alerts, "set", manager, { channel: channelId, statuses });
}

it("25 typed statuses count at most, each once, and more are refused", async () => {
  const typed = Array.from({ length: 25 }, (_, index) => `S${index}`);
  expect(statusesIn(["S0", ...typed].join(" , "), [], "en")).toEqual(typed);
  expect(await codeOf(alertsFor([...typed, "S25"].join()))).toBe("too_many_statuses");
  expect(statusesIn(" , ,", [], "en")).toBeUndefined();
  expect(statusesIn("pending,On hold", ["PENDING"], "en")).toEqual(["PENDING", "On hold"]);
});

it("statuses are suggested in the reader's words, and sent as the store writes them (0.1.0: raw words)", () => {
  const seen = ["PENDING", "PAID", "ON_HOLD"];
  expect(suggestStatuses("", seen, "pt-BR")).toEqual([
    { name: "Pendente", value: "PENDING" },
    { name: "Pago", value: "PAID" },
    { name: "ON_HOLD", value: "ON_HOLD" },
  ]);
  expect(suggestStatuses("pag", seen, "pt-BR")).toEqual([{ name: "Pago", value: "PAID" }]);
  expect(suggestStatuses("paid", seen, "pt-BR")).toEqual([{ name: "Pago", value: "PAID" }]);
});

it("a person can type on after a chosen suggestion: Discord then sends its name", () => {
  const seen = ["PENDING", "PAID", "ON_HOLD"];
  expect(suggestStatuses("Pendente, pa", seen, "pt-BR")).toEqual([{ name: "Pendente, Pago", value: "PENDING,PAID" }]);
  expect(statusesIn("Pendente, pago,on_hold", seen, "pt-BR")).toEqual(seen);
});

it("spellings with the same word are distinguished, and the word alone is the first one seen", () => {
  const seen = ["PENDING", "CANCELED", "CANCELLED"];
  const names = suggestStatuses("cancel", seen, "es").map(({ name }) => name);

  expect(names).toEqual(["Cancelado (CANCELED)", "Cancelado (CANCELLED)"]);
  expect(statusesIn(names.join(","), seen, "es")).toEqual(["CANCELED", "CANCELLED"]);
  expect(statusesIn("cancelado", seen, "es")).toEqual(["CANCELED"]);
});

it("a common status in another language or spelling is the one of the store (was: shown as “Paid”, and nothing was found)", () => {
  expect(statusesIn("pago, Reembolsado", ["PENDING", "PAID"], "en")).toEqual(["PAID", "REEMBOLSADO"]);
  expect(statusesIn("aguardando pagamento", ["PENDING", "WAITING_PAYMENT"], "es")).toEqual(["WAITING_PAYMENT"]);
  expect(statusesIn("on hold", ["PENDING", "ON_HOLD"], "en")).toEqual(["on hold"]);
});

it("a common status that was not seen becomes its code, in capitals as the API's document writes; the store's own word wins (was: “Refunded” stayed, and a store that distinguishes case listed nothing)", () => {
  expect(statusesIn("Reembolsado", ["PENDING"], "pt-BR")).toEqual(["REFUNDED"]);
  expect(statusesIn("pago", ["PENDING", "Pago"], "pt-BR")).toEqual(["Pago"]);
  expect(statusesIn("Refunded, on hold", ["PENDING"], "en")).toEqual(["REFUNDED", "on hold"]);
  expect(statusesIn("paid, canceled", ["PENDING"], "pt-BR")).toEqual(["PAID", "CANCELED"]);
  expect(statusesIn("paid", ["PENDING", "paid"], "en")).toEqual(["paid"]);
  expect(statusesIn("paid", ["PENDING", "PAGO"], "pt-BR")).toEqual(["PAGO"]);
});

it("a status that the bot does not know can be announced, but the answer warns, also after a confirmation", async () => {
  const warning = "⚠️ The bot does not know the status `nonsense`: an alert comes for it only if";
  const unknown = await alertsFor("on_hold, pago, refunded, nonsense");
  expect(textOf(unknown)).toMatch(/^⚠️ Order alerts come to/);
  expect(textOf(unknown)).toContain(warning);
  expect(textOf(await alertsFor("a, `@everyone`"))).toContain(
    "the statuses `a`, `ˋ@everyoneˋ`: an alert comes for them",
  );
  expect(textOf(await alertsFor("on_hold, pago, refunded"))).toMatch(/^✅(?!.*⚠️)/s);

  const desk = createAlertDesk();
  desk.look = () => ({ ...fineChannel, isPublic: true });
  const question = await desk.run(alerts, "set", manager, { channel: channelId, statuses: "nonsense" });
  expect(textOf(question)).toContain(warning);
  expect(textOf(await desk.press(alerts, question, "Confirm", manager))).toContain(warning);
});
