import type { Locale } from "../basics/locale.ts";
import type { CommandText } from "./command-text.ts";
import * as en from "./en/index.ts";
import * as es from "./es/index.ts";
import * as ptBR from "./pt-BR/index.ts";
import type { Texts } from "./shape.ts";

// This is a named constant, because knip (`npm run check`) does not follow a namespace to a quoted key.
const portuguese: Texts = ptBR;
const languages: Readonly<Record<Locale, Texts>> = { en, "pt-BR": portuguese, es };

/** All texts in one language: `texts("es").orders.total`. */
export function texts(locale: Locale): Texts {
  return languages[locale];
}

/** Names and descriptions of the commands, by English name. */
export function commandTexts(locale: Locale): Readonly<Record<string, CommandText>> {
  return languages[locale].commands;
}
