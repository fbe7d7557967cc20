import { setImmediate as othersTurn } from "node:timers/promises";
import { type Cell, csvHead, csvOf } from "./csv.ts";

/** Maximum time, in milliseconds, before other work gets a turn of the event loop. Rows can be long, so they are not counted. */
const longestTurnMs = 5;

/**
 * Makes a CSV file in parts, of which one is in memory at a time.
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
     * Adds rows. If a part gets full, it is first passed to `full`. Rejects if `full` or `cells` rejects; the rows
     * before stay in the file.
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
