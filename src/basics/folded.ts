/** The same for texts that people take for the same: capitals, forms of letters and blanks around do not count. */
export const folded = (text: string): string => text.normalize("NFKC").trim().toLocaleLowerCase();
