import { codeKey } from "../../basics/folded.ts";
import type { Locale } from "../../basics/locale.ts";
import type { Texts } from "../../locales/shape.ts";
import { texts } from "../../locales/texts.ts";
import { plain } from "../parts/text.ts";

/** Spellings that stores use. */
const known: ReadonlyMap<string, keyof Texts["payments"]> = new Map([
  ["PIX", "pix"],
  ["CREDIT_CARD", "creditCard"],
  ["CREDITCARD", "creditCard"],
  ["CREDIT", "creditCard"],
  ["DEBIT_CARD", "debitCard"],
  ["DEBITCARD", "debitCard"],
  ["DEBIT", "debitCard"],
  ["CARD", "card"],
  ["BOLETO", "boleto"],
  ["BANK_SLIP", "boleto"],
  ["BANK_TRANSFER", "bankTransfer"],
  ["TRANSFER", "bankTransfer"],
  ["CASH", "cash"],
  ["BALANCE", "balance"],
  ["WALLET", "balance"],
  ["CRYPTO", "crypto"],
  ["CRYPTOCURRENCY", "crypto"],
  ["PAYPAL", "paypal"],
  ["MERCADO_PAGO", "mercadoPago"],
  ["MERCADOPAGO", "mercadoPago"],
  ["STRIPE", "stripe"],
  ["FREE", "free"],
]);

/** An unknown method keeps the store's text. For choices, which have no markdown. */
export function methodWord(method: string, locale: Locale): string {
  const word = known.get(codeKey(method));
  return word === undefined ? method : texts(locale).payments[word];
}

/** As {@link methodWord}, safe in markdown. */
export const paymentMethod = (method: string, locale: Locale, max: number): string =>
  plain(methodWord(method, locale), max);
