/** Makes a text safe for a terminal: one line, without characters that move the cursor or change colours. */
export const printable = (text: string, maxLength = 100): string =>
  text
    .replaceAll(/\p{C}+/gu, " ")
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
