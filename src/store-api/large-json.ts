import { createJsonScanner, type JsonScanner, jsonByte } from "./json-scanner.ts";

/** What is wanted of a JSON text; whatever else stands in it is passed over. Nothing named: the value as it is. */
export interface Wanted {
  /** Of an object: these fields. */
  readonly fields?: Readonly<Record<string, Wanted>>;
  /** Of a list: the first and the last {@link endRows} rows, whole, or this of a row that is too large for that. */
  readonly rows?: Wanted;
  /**
   * Of a row: makes, for each list, what reads its rows, each as soon as it was parsed; what that gives is kept in their place.
   * The text may hold far more than anybody keeps.
   */
  readonly reader?: () => (row: unknown) => unknown;
}

/** The value as it is. */
export const asItIs: Wanted = {};

/** An API without pages shows its newest orders at one end of its list or at the other: that many are kept of each. */
export const endRows = 500;

/** A larger number, or whatever else is no text, is none that is shown, in bytes. Parsing one takes less than a millisecond. */
const largestValue = 64 * 1024;
/**
 * Of a larger text the beginning is read, in bytes: whatever is written, it has more characters than a cell of a file (32,767,
 * of which each may be written as six). Parsing that takes less than 2 ms.
 */
const largestText = 6 * 32 * 1024;
/** A row up to here is parsed whole, in bytes: nothing but keys, the hardest, takes about a millisecond. */
const largestWholeRow = 16 * 1024;
/** In the place of a value that is too large: what only describes falls back, and what counts spoils its row. */
const tooLarge: unknown = Object.freeze({});

/** At the end of a part of a JSON text: an escape whose rest is missing, after those that are whole. */
const partOfEscape = /((?<!\\)(?:\\\\)*)\\(?:u[\da-f]{0,3})?$/i;

/** Rows passed over between two stops. */
const stepRows = 32;

/** Where a row stands in the text. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Goes past the value that begins here. */
function* skipValue(scanner: JsonScanner): Generator<void, void> {
  while (!scanner.pass()) yield;
}

/** Goes to the next byte that is no blank, and gives it; undefined at the end. */
function* nextByte(scanner: JsonScanner): Generator<void, number | undefined> {
  while (!scanner.passBlanks()) yield;
  return scanner.here();
}

/** The rows that are kept, found by passing over all of them. */
function* keptRows(scanner: JsonScanner): Generator<void, { spans: Span[]; count: number }> {
  const first: Span[] = [];
  const last: Span[] = [];
  let count = 0;
  scanner.expect(jsonByte.openList);
  yield* nextByte(scanner);
  while (!scanner.passIf(jsonByte.closeList)) {
    if (count > 0) scanner.expect(jsonByte.comma);
    // Most rows, and the blanks around them, are passed in one piece.
    if (!scanner.passBlanks()) yield* nextByte(scanner);
    const from = scanner.at();
    if (!scanner.pass()) yield* skipValue(scanner);
    const span = { from, to: scanner.at() };
    if (count < endRows) first.push(span);
    else last[count % endRows] = span;
    count += 1;
    if (count % stepRows === 0) yield;
    if (!scanner.passBlanks()) yield* nextByte(scanner);
  }
  const turn = count <= 2 * endRows ? 0 : count % endRows;
  return { spans: [...first, ...last.slice(turn), ...last.slice(0, turn)], count };
}

/**
 * Reads what is wanted of a JSON text of any size without ever holding the event loop: it may stop at every `yield`.
 *
 * @param largestRow bytes of a row that is parsed whole
 * @returns the value, and the number of rows that were left out of the list or lists that stand in no other
 * @throws {SyntaxError}
 */
export function* readLargeJson(
  bytes: Buffer,
  wanted: Wanted,
  largestRow: number = largestWholeRow,
): Generator<void, { value: unknown; cut: number }> {
  const scanner = createJsonScanner(bytes);
  let lists = 0;
  let cut = 0;
  const parse = ({ from, to }: Span): unknown => JSON.parse(bytes.toString("utf8", from, to));

  /** Of a text that is too large, with a sign that more followed: no number, status or id ends in it. */
  function beginningOfText(from: number): unknown {
    const text = bytes.toString("utf8", from, from + largestText);
    return JSON.parse(`${text.replace(partOfEscape, "$1")}…"`);
  }

  function* takeValue(): Generator<void, unknown> {
    yield* nextByte(scanner);
    const from = scanner.at();
    yield* skipValue(scanner);
    const to = scanner.at();
    if (bytes[from] === jsonByte.quote && to - from > largestText) return beginningOfText(from);
    return to - from > largestValue && bytes[from] !== jsonByte.quote ? tooLarge : parse({ from, to });
  }

  function* take(part: Wanted): Generator<void, unknown> {
    const first = yield* nextByte(scanner);
    if (part.fields !== undefined && first === jsonByte.openObject) return yield* takeFields(part.fields);
    if (part.rows !== undefined && first === jsonByte.openList) return yield* takeRows(part.rows);
    return yield* takeValue();
  }

  function* takeFields(fields: Readonly<Record<string, Wanted>>): Generator<void, Record<string, unknown>> {
    const taken: Record<string, unknown> = {};
    scanner.expect(jsonByte.openObject);
    yield* nextByte(scanner);
    if (scanner.passIf(jsonByte.closeObject)) return taken;
    do {
      const key = yield* takeValue();
      if (typeof key !== "string") throw new SyntaxError("no key");
      yield* nextByte(scanner);
      scanner.expect(jsonByte.colon);
      yield* nextByte(scanner);
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (field === undefined) yield* skipValue(scanner);
      else taken[key] = yield* take(field);
      yield;
      yield* nextByte(scanner);
    } while (scanner.passIf(jsonByte.comma));
    scanner.expect(jsonByte.closeObject);
    return taken;
  }

  function* takeRows(row: Wanted): Generator<void, unknown[]> {
    const { spans, count } = yield* keptRows(scanner);
    const end = scanner.at();
    if (lists === 0) cut += count - spans.length;
    lists += 1;
    const rows: unknown[] = [];
    const read = row.reader?.();
    for (const span of spans) {
      scanner.goTo(span.from);
      const value = span.to - span.from > largestRow ? yield* take(row) : parse(span);
      rows.push(read === undefined ? value : read(value));
      yield;
    }
    lists -= 1;
    scanner.goTo(end);
    return rows;
  }

  const value = yield* take(wanted);
  if ((yield* nextByte(scanner)) !== undefined) throw new SyntaxError("more than one value");
  return { value, cut };
}
