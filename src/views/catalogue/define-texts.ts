import type { Locale } from "../../basics/locale.ts";

/** One message: fixed, or made from typed arguments (hostile ones cleaned by the caller with `plain` or `label`). */
type Text = string | ((...args: never[]) => string);
/** Messages by key; a group of them under one key serves a choice that is made at run time. */
type Texts = { readonly [key: string]: Text | Texts };
type SameShape<English> = {
  readonly [Key in keyof English]: English[Key] extends string
    ? string
    : English[Key] extends Text
      ? English[Key]
      : SameShape<English[Key]>;
};

/**
 * One topic of the catalogue in every language. English gives the shape: a key that another language lacks, or has beyond
 * it, or a function of other arguments, is a type error.
 *
 * To add a topic, write `catalogue/<topic>.ts` that exports `const <topic> = defineTexts({ en, "pt-BR", es })`, and add it
 * to `topics` in `catalogue.ts`; `texts(locale).<topic>.<key>` then has it. Keys are camelCase. Messages may use markdown
 * and are whole sentences, never halves to be joined; amounts, times and people's texts come in ready as strings.
 * Counted things use {@link plural}.
 */
export function defineTexts<const English extends Texts>(texts: {
  readonly en: English;
  readonly "pt-BR": SameShape<NoInfer<English>>;
  readonly es: SameShape<NoInfer<English>>;
}): Record<Locale, SameShape<English>> {
  return texts as Record<Locale, SameShape<English>>;
}

// Kept, for to make one takes 20 µs.
const rules = new Map<Locale, Intl.PluralRules>();

/** The form of a counted word, by the language's own rules; `other` also stands for forms that the three do not tell apart. */
export function plural(locale: Locale, count: number, forms: { readonly one: string; readonly other: string }): string {
  const known = rules.get(locale) ?? new Intl.PluralRules(locale);
  rules.set(locale, known);
  return known.select(count) === "one" ? forms.one : forms.other;
}
