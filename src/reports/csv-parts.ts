import { setImmediate as othersTurn } from "node:timers/promises";
import { type Cell, csvHead, csvOf } from "./csv.ts";

/** After this many milliseconds, other work gets a turn of the event loop. The time is measured, because rows can be long. */
const longestTurnMs = 5;

/**
 * Makes a CSV file in parts. Only one part is in memory at a time.
 *
 * @param columns names in the first line of each part
 * @param bytes maximum size of a part, unless a single row is larger
 * @param full receives a full part and its number, from 1 on
 */
export function createCsvParts(deps: {
  readonly columns: readonly string[];
  readonly bytes: number;
  full(part: Buffer, number: number): Promise<void>;
}) {
  const head = Buffer.from(csvHead(deps.columns));
  let lines: Buffer[] = [];
  let size = head.length;
  let given = 0;

  function whole(): Buffer {
    const part = Buffer.concat([head, ...lines]);
    lines = [];
    size = head.length;
    return part;
  }

  return {
    /**
     * Adds rows. A full part is passed to `full` before the next row is added. Rejects if `full` or `cells` throws. The rows
     * before that row stay in the file.
     */
    async add<Row>(rows: readonly Row[], cells: (row: Row) => readonly Cell[]): Promise<void> {
      let turnEndsAt = performance.now() + longestTurnMs;
      for (const row of rows) {
        if (performance.now() > turnEndsAt) {
          await othersTurn();
          turnEndsAt = performance.now() + longestTurnMs;
        }
        const line = Buffer.from(csvOf([cells(row)]));
        if (size + line.length > deps.bytes && lines.length > 0) {
          given += 1;
          await deps.full(whole(), given);
        }
        lines.push(line);
        size += line.length;
      }
    },
    /** Number of parts passed to `full`. */
    given: () => given,
    rest: () => (lines.length === 0 ? undefined : whole()),
  };
}
