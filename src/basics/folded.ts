/** A form that is equal for texts that people consider equal: case, letter forms and surrounding blanks do not count. */
export const folded = (text: string): string => text.normalize("NFKC").trim().toLocaleLowerCase();
