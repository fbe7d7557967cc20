/** Returns the text in a form for comparisons: lower case, Unicode NFKC, no blanks around it. */
export const folded = (text: string): string => text.normalize("NFKC").trim().toLocaleLowerCase();

/** Returns the text without accents: people leave them out, or type them where a name has none. */
export const withoutAccents = (text: string): string => text.normalize("NFD").replaceAll(/\p{M}/gu, "");
