import { pluralsOf } from "../plurals-of.ts";

export const plural = pluralsOf("pt-BR");
