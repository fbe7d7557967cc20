/** Bytes of a piece. */
const stepBytes = 16 * 1024;

/** What stands in a JSON text besides blanks, as bytes. */
export const jsonByte = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;
const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Goes over a JSON text byte by byte, several times as fast as parsing it: a value is only passed over, and checked as far
 * as that needs. What is wrong with the text is thrown as a `SyntaxError`.
 */
export interface JsonScanner {
  at(): number;
  goTo(at: number): void;
  /** The byte that stands here; undefined at the end. */
  here(): number | undefined;
  /** Goes past the blanks that stand here, or a piece of them; whether it is past all. */
  passBlanks(): boolean;
  /** Goes past this byte, if it stands here. */
  passIf(byte: number): boolean;
  expect(byte: number): void;
  /**
   * Goes past the value that begins here, or goes on with it, for a piece that takes less than a tenth of a millisecond;
   * whether it is at the value's end.
   */
  pass(): boolean;
}

export function createJsonScanner(bytes: Uint8Array): JsonScanner {
  const end = bytes.length;
  // Some servers put a mark before their text (RFC 8259, 8.1).
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;

  /** Of the value that `pass` is in: how deep, and whether between quotes. */
  let depth = 0;
  let isInText = false;

  function passIf(byte: number): boolean {
    if (bytes[at] !== byte) return false;
    at += 1;
    return true;
  }

  /** Whether the value ended before `stop`. */
  function passTo(stop: number): boolean {
    while (at < stop) {
      const byte = bytes[at];
      if (isInText) {
        at += byte === jsonByte.backslash ? 2 : 1;
        if (byte !== jsonByte.quote) continue;
        isInText = false;
        if (depth === 0) return true;
      } else if (byte === jsonByte.closeList || byte === jsonByte.closeObject) {
        // The end of what a number or a word stands in.
        if (depth === 0) return true;
        at += 1;
        depth -= 1;
        if (depth === 0) return true;
      } else if (depth === 0 && (byte === jsonByte.comma || isBlank(byte))) {
        return true;
      } else {
        if (byte === jsonByte.quote) isInText = true;
        else if (byte === jsonByte.openList || byte === jsonByte.openObject) depth += 1;
        at += 1;
      }
    }
    return false;
  }

  return {
    at: () => at,
    goTo(there) {
      at = there;
    },
    here: () => bytes[at],
    passBlanks() {
      const stop = at + stepBytes;
      while (at < stop && isBlank(bytes[at])) at += 1;
      return at < stop;
    },
    passIf,
    expect(byte) {
      if (!passIf(byte)) throw new SyntaxError(`not the byte ${byte} at ${at}`);
    },
    pass() {
      if (passTo(Math.min(at + stepBytes, end))) return true;
      if (at >= end && (isInText || depth > 0)) throw new SyntaxError("the text ends too early");
      return at >= end;
    },
  };
}
