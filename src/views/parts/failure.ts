import type { Locale } from "../../basics/locale.ts";
import type { Texts } from "../../locales/shape.ts";
import { texts } from "../../locales/texts.ts";

const sentences = {
  unauthorized: "unauthorized",
  not_found: "unusable",
  invalid: "unusable",
  rate_limited: "rate_limited",
  unavailable: "unavailable",
  timeout: "timeout",
  malformed: "unusable",
  too_large: "unusable",
  ambiguous: "unusable",
  undecryptable: "undecryptable",
  storage: "storage",
  channel_gone: "channel_gone",
  forbidden: "forbidden",
  refused: "internal",
  undelivered: "undelivered",
  internal: "internal",
} as const satisfies Readonly<Record<string, keyof Texts["failures"]>>;

/** Why long work, or work without a person, failed. `FailureCode` and the codes of a `StoreError` fit this type. */
export type Failure = keyof typeof sentences;

/** Finished markdown. The text does not say what becomes of the work. */
export const failureText = (failure: Failure, locale: Locale): string => texts(locale).failures[sentences[failure]];
