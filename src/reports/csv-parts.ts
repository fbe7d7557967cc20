import { setImmediate } from "node:timers/promises";
import { type Cell, csvHead, csvOf } from "./csv.ts";

/** After this time, other work of the process runs. */
const longestTurnMs = 5;
/** Bytes. A request to Discord may take only 15 s (discord/rest/rest.ts): in this time, 4 MiB need 2.3 Mbit/s. */
const largestPart = 4 * 1024 ** 2;

/**
 * Makes a CSV file in parts, so that only one part is in memory. A part with more than one row has at most `bytes`, and at most
 * 4 MiB. `columns` is the first line of each part. `full` receives each full part and its number, from 1.
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
    /** A full part goes to `full` before the next row is added. If `cells` throws, earlier rows stay in the file. */
    async add<Row>(rows: readonly Row[], cells: (row: Row) => readonly Cell[]): Promise<void> {
      let turnEndsAt = performance.now() + longestTurnMs;
      for (const row of rows) {
        if (performance.now() > turnEndsAt) {
          await setImmediate();
          turnEndsAt = performance.now() + longestTurnMs;
        }
        const line = Buffer.from(csvOf([cells(row)]));
        if (size + line.length > Math.min(deps.bytes, largestPart) && lines.length > 0) {
          given += 1;
          await deps.full(whole(), given);
        }
        lines.push(line);
        size += line.length;
      }
    },
    given: () => given,
    rest: () => (lines.length === 0 ? undefined : whole()),
  };
}
