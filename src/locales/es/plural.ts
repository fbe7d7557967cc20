import { pluralsOf } from "../plurals-of.ts";

export const plural = pluralsOf("es");
/** Divides the thousands of a number. */
export const number = new Intl.NumberFormat("es").format;
