type Place = "log" | "Discord" | "store" | "disk";

export interface Secret {
  readonly what: string;
  readonly text: string | Uint8Array;
  readonly notIn: readonly Place[];
}

export interface Searched {
  readonly place: Place;
  /** The request, file or process. */
  readonly where: string;
  readonly bytes: Uint8Array;
}

interface Needle {
  readonly secret: Secret;
  readonly bytes: Buffer;
}

/** Minimum length of a secret, because shorter texts appear by chance. "Li Wei" has this length. */
const shortestBytes = 6;
/** Maximum number of reported leaks. One mistake may leak into every line of a log. */
const mostTold = 20;
const shownAround = 20;
const shownOfSecret = 3;

function formsOf({ text }: Secret): Buffer[] {
  if (typeof text !== "string") return [Buffer.from(text)];
  const [inJson, inAddress] = [JSON.stringify(text).slice(1, -1), encodeURIComponent(text.toWellFormed())];
  return [...new Set([text, inJson, inAddress, Buffer.from(text).toString("base64").replace(/=+$/, "")])].map((form) =>
    Buffer.from(form),
  );
}

function clean(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "·");
}

/** Shows the text around a leak, but only the start of the secret. */
function described({ place, where, bytes }: Searched, { secret, bytes: found }: Needle, at: number): string {
  const part = (from: number, to: number) =>
    clean(Buffer.from(bytes.subarray(Math.max(from, 0), to)).toString("latin1"));
  const end = at + found.length;
  const around = `${part(at - shownAround, at)}${part(at, at + shownOfSecret)}…${part(end, end + shownAround)}`;
  return `${secret.what} in ${place} (${where}): ${around}`;
}

/** Maps four bytes to one of 65,536 slots (Knuth's multiplicative hash). */
const slotOf = (window: number) => Math.imul(window, 0x9e3779b1) >>> 16;

/**
 * Finds each secret once in each item of `searched`. Reads the bytes once, however many secrets there are.
 * Returns at most 20 sentences.
 */
export async function findLeaks(
  secrets: readonly Secret[],
  searched: Iterable<Searched> | AsyncIterable<Searched>,
): Promise<string[]> {
  const needles = new Map<number, Needle[]>();
  const begins = new Uint8Array(2 ** 16);
  const known = new Set<string>();
  for (const secret of secrets) {
    for (const bytes of formsOf(secret)) {
      const key = bytes.toString("latin1");
      if (bytes.length < shortestBytes || known.has(key)) continue;
      known.add(key);
      const start = bytes.readInt32BE(0);
      begins[slotOf(start)] = 1;
      const alike = needles.get(start);
      if (alike === undefined) needles.set(start, [{ secret, bytes }]);
      else alike.push({ secret, bytes });
    }
  }

  const leaks: string[] = [];
  for await (const part of searched) {
    const text = Buffer.from(part.bytes.buffer, part.bytes.byteOffset, part.bytes.byteLength);
    const told = new Set<string>();
    let window = 0;
    for (let at = 0; at < text.length; at++) {
      window = (window << 8) | (text[at] ?? 0);
      if (begins[slotOf(window)] === 0) continue;
      for (const needle of needles.get(window) ?? []) {
        const { what, notIn } = needle.secret;
        const from = at - 3;
        if (from < 0 || !notIn.includes(part.place) || told.has(what)) continue;
        if (!needle.bytes.equals(text.subarray(from, from + needle.bytes.length))) continue;
        told.add(what);
        leaks.push(described(part, needle, from));
        if (leaks.length >= mostTold) return leaks;
      }
    }
  }
  return leaks;
}
