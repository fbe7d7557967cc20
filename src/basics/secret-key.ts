// In base64, 32 bytes are 43 characters and one "=". The 43rd character has only 4 bits of the key.
const pattern = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

/** Whether the text is a key of 32 bytes in base64. */
export const isSecretKey = (text: string): boolean => pattern.test(text);
