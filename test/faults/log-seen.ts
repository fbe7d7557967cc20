import { z } from "zod";

const warnLevel = 40;
const levelNames = new Map([
  [40, "warn"],
  [50, "error"],
  [60, "fatal"],
]);
/** What test/support/movable-clock.js prints. */
const clockSet = "the wall clock is ";
const errorSchema = z.object({ code: z.union([z.string(), z.number()]).optional() });
const lineSchema = z.object({
  level: z.number(),
  msg: z.string(),
  err: errorSchema.optional(),
  reason: z.string().optional(),
});

/** A line as an operator looks for it, without what differs from run to run. */
function wordsOf(line: string): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return line.startsWith(clockSet) ? undefined : `no line of the log: ${line}`;
  }
  const { level, msg, err, reason = err?.code } = lineSchema.parse(parsed);
  if (level < warnLevel) return undefined;
  return `${levelNames.get(level) ?? level}: ${msg}${reason === undefined ? "" : ` (\`${reason}\`)`}`;
}

/** What the log said at `warn` and above, and what is no line of the log at all: each once, with how many there were. */
export function logSeen(output: string): string[] {
  const counts = new Map<string, number>();
  for (const line of output.split("\n")) {
    const words = line === "" ? undefined : wordsOf(line);
    if (words !== undefined) counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return [...counts].map(([words, count]) => (count === 1 ? words : `${words}, ${count} times`));
}
