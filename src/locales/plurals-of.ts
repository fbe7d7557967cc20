/** A counted word in the forms that its language tells apart (CLDR's categories); `other` stands for those not given. */
type PluralForms = { readonly other: string } & { readonly [Category in Intl.LDMLPluralRule]?: string };

/**
 * Chooses the form of a counted word by the rules of one language: `plural(3, { one: "1 order", other: "3 orders" })`.
 * The rules are kept, because making them takes 20 µs.
 *
 * @param language the name of the language's folder, as BCP 47 has it
 */
export function pluralsOf(language: string): (count: number, forms: PluralForms) => string {
  const rules = new Intl.PluralRules(language);
  return (count, forms) => forms[rules.select(count)] ?? forms.other;
}
