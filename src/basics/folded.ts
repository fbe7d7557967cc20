/** Returns a text without differences in case, letter forms and surrounding blanks, for comparisons. */
export const folded = (text: string): string => text.normalize("NFKC").trim().toLocaleLowerCase();
