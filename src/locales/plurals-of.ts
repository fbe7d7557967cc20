/** The forms of a counted word, by CLDR's plural categories. If a form is missing, `other` is used. */
type PluralForms = { readonly other: string } & { readonly [Category in Intl.LDMLPluralRule]?: string };

/**
 * Makes a function that chooses the form of a counted word by the rules of one language: `plural(3, { one: "1 order",
 * other: "3 orders" })`. The rules are made once, because making them takes 20 µs.
 *
 * @param language the name of the language's folder, which is a BCP 47 tag
 */
export function pluralsOf(language: string): (count: number, forms: PluralForms) => string {
  const rules = new Intl.PluralRules(language);
  return (count, forms) => forms[rules.select(count)] ?? forms.other;
}
