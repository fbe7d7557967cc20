/**
 * Returns a form of the text that is equal for texts which people consider equal: case, letter forms and surrounding
 * blanks do not count.
 */
export const folded = (text: string): string => text.normalize("NFKC").trim().toLocaleLowerCase();
