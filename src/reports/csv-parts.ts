import { setImmediate as othersTurn } from "node:timers/promises";
import { type Cell, csvHead, csvOf } from "./csv.ts";

/**
 * Longest work, in milliseconds, before other work gets a turn of the event loop. It is a time, because the store
 * decides how long its rows are.
 */
const longestTurnMs = 5;

/** A CSV file in parts, of which one is in memory at a time. */
export interface CsvParts {
  /**
   * Adds rows. If a part gets full, it is first passed to `full`. Rejects if `full` or `cells` rejects; the rows before
   * stay in the file.
   */
  add<Row>(rows: readonly Row[], cells: (row: Row) => readonly Cell[]): Promise<void>;
  /** Number of parts passed to `full`. */
  given(): number;
  /** The last part, if it has any rows. */
  rest(): Buffer | undefined;
}

/**
 * @param columns names in the first line of each part
 * @param bytes the size of a part; only a single row that is larger exceeds it
 * @param full receives a full part and its number, from 1 on
 */
export function createCsvParts(deps: {
  readonly columns: readonly string[];
  readonly bytes: number;
  full(part: Buffer, number: number): Promise<void>;
}): CsvParts {
  const head = Buffer.from(csvHead(deps.columns));
  let pieces: Buffer[] = [head];
  let size = head.length;
  let given = 0;

  const isEmpty = () => size === head.length;
  function whole(): Buffer {
    const part = Buffer.concat(pieces);
    pieces = [head];
    size = head.length;
    return part;
  }

  return {
    async add(rows, cells) {
      let lines = "";
      let length = 0;
      let turnEndsAt = performance.now() + longestTurnMs;
      function keep(): void {
        const piece = Buffer.from(lines);
        pieces.push(piece);
        size += piece.length;
        lines = "";
        length = 0;
      }
      try {
        for (const row of rows) {
          if (performance.now() > turnEndsAt) {
            keep();
            await othersTurn();
            turnEndsAt = performance.now() + longestTurnMs;
          }
          const line = csvOf([cells(row)]);
          const more = Buffer.byteLength(line);
          if (size + length + more > deps.bytes && !(isEmpty() && length === 0)) {
            keep();
            given += 1;
            await deps.full(whole(), given);
          }
          lines += line;
          length += more;
        }
      } finally {
        keep();
      }
    },
    given: () => given,
    rest: () => (isEmpty() ? undefined : whole()),
  };
}
