import { pluralsOf } from "../plurals-of.ts";

export const plural = pluralsOf("pt-BR");
/** Divides the thousands of a number. */
export const number = new Intl.NumberFormat("pt-BR").format;
