import { expect, it } from "vitest";
import { statusesIn, suggestStatuses } from "../../src/store-queries/statuses.ts";

it("the first 25 typed statuses count, each once", () => {
  const typed = Array.from({ length: 40 }, (_, index) => `S${index}`);
  expect(statusesIn(["S0", ...typed].join(" , "), [], "en")).toEqual(typed.slice(0, 25));
  expect(statusesIn(" , ,", [], "en")).toBeUndefined();
  expect(statusesIn("pending,Paid", ["PENDING"], "en")).toEqual(["PENDING", "Paid"]);
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

it("a word for a common status that was not seen becomes its code; the store's own word wins", () => {
  expect(statusesIn("Reembolsado", ["PENDING"], "pt-BR")).toEqual(["REFUNDED"]);
  expect(statusesIn("pago", ["PENDING", "Pago"], "pt-BR")).toEqual(["Pago"]);
  expect(statusesIn("Refunded, on hold", ["PENDING"], "en")).toEqual(["Refunded", "on hold"]);
});
