/**
 * Finds the token in a pasted text. The text may have blanks, quotes or invisible characters around the token, and the words
 * before it in an `Authorization` header.
 */
export const pastedToken = (text: string): string =>
  text.replace(
    /^(?:[\s\p{Cf}"'`“”‘’]|Authorization:|(?:Bearer|Bot)(?=\s))+|(?<![\s\p{Cf}"'`“”‘’])[\s\p{Cf}"'`“”‘’]+$/giu,
    "",
  );
