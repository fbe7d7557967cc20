import { pluralsOf } from "../plurals-of.ts";

export const plural = pluralsOf("en");
/** Divides the thousands of a number. */
export const number = new Intl.NumberFormat("en").format;
