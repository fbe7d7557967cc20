/** A pasted text may have blanks, quotes or invisible characters around the token, or begin like an `Authorization` header. */
export const pastedToken = (text: string): string =>
  text.replace(
    /^(?:[\s\p{Cf}"'`“”‘’]|Authorization:|(?:Bearer|Bot)(?=\s))+|(?<![\s\p{Cf}"'`“”‘’])[\s\p{Cf}"'`“”‘’]+$/giu,
    "",
  );
