import { setImmediate as othersTurn } from "node:timers/promises";
import { type Cell, csvHead, csvOf } from "./csv.ts";

/** A store decides how long its rows are: after so many ms others have a turn. */
const longestTurnMs = 5;

/** A CSV file in parts, of which one is in memory at a time. */
export interface CsvParts {
  /** Adds rows; where a part is full, it is given away first. Rejects with what `full` rejects with, or `cells` throws: then with the rows before. */
  add<Row>(rows: readonly Row[], cells: (row: Row) => readonly Cell[]): Promise<void>;
  /** Parts that were given away. */
  given(): number;
  /** What is left, if it has any rows. */
  rest(): Buffer | undefined;
}

/**
 * @param columns names that each part begins with
 * @param bytes the most that a part may have; only a single row that has more goes beyond it
 * @param full takes a part, from 1 on
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
