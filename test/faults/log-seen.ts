import { z } from "zod";

const levelNames: Readonly<Record<number, string>> = { 40: "warn", 50: "error", 60: "fatal" };
/** Printed by test/support/process/movable-clock.js. */
const clockSet = "the wall clock is ";
const lineSchema = z.object({
  level: z.number(),
  msg: z.string(),
  err: z.object({ code: z.union([z.string(), z.number()]).optional() }).optional(),
  reason: z.string().optional(),
});

function wordsOf(line: string): string | undefined {
  const { level, msg, err, reason = err?.code } = lineSchema.parse(JSON.parse(line));
  const name = levelNames[level];
  return name && `${name}: \`${msg}\`${reason === undefined ? "" : ` (\`${reason}\`)`}`;
}

/** Lines at `warn` and above, and lines that are not of the log: each once, with its number. */
export function logSeen(output: string): string[] {
  const counts = new Map<string, number>();
  for (const line of output.split("\n").filter((text) => text !== "" && !text.startsWith(clockSet))) {
    const words = line.startsWith("{") ? wordsOf(line) : `no line of the log: ${line}`;
    if (words !== undefined) counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return [...counts].map(([words, count]) => (count === 1 ? words : `${count} × ${words}`));
}
