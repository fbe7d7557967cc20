/**
 * Makes a text safe for a terminal: one line of at most `maxLength` characters, none of which moves the cursor or changes
 * colours.
 */
export const printable = (text: string, maxLength = 100): string =>
  text
    .replaceAll(/\p{C}+/gu, " ")
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
