import type { Locale } from "../basics/locale.ts";
import type { Privacy } from "../basics/privacy.ts";

/** What every view needs to know beside its data. */
export interface ViewContext {
  readonly locale: Locale;
  /** ISO 4217; without it amounts are plain numbers, for the API names no currency. */
  readonly currency?: string;
  readonly privacy: Privacy;
}
