/** Returns the text in a form for comparisons: lower case, Unicode NFKC, no blanks around it. */
export const folded = (text: string): string => text.normalize("NFKC").trim().toLocaleLowerCase();
