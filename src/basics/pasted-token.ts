/**
 * Finds the token in a pasted text. The text may have blanks, quotes or invisible characters around the token. It may also
 * begin like an `Authorization` header, for example with `Bearer`.
 */
export const pastedToken = (text: string): string =>
  text.replace(
    /^(?:[\s\p{Cf}"'`“”‘’]|Authorization:|(?:Bearer|Bot)(?=\s))+|(?<![\s\p{Cf}"'`“”‘’])[\s\p{Cf}"'`“”‘’]+$/giu,
    "",
  );
