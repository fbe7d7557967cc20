import { withDeadline } from "../basics/limits/deadline.ts";
import { printable } from "../basics/printable.ts";
import { reasonOf } from "../basics/reason.ts";
import { wrapped } from "../basics/wrapped.ts";

/** `warn`: it works, but the operator should know. */
export interface Result {
  readonly state: "ok" | "warn" | "wrong" | "skipped";
  /** A sentence without a full stop and without secrets. */
  readonly says: string;
  readonly remedy?: string;
  readonly server?: string;
}

export interface Finding extends Result {
  /** The subject of the check, such as "Storage". "Skipped" lists the checks that an earlier failure prevented. */
  readonly check: string;
}

/** The results of a check, and the value that later checks need from it. */
export interface Examined<T> {
  readonly results: readonly Result[];
  readonly value?: T | undefined;
}

export const ok = (says: string): Result => ({ state: "ok", says });
export const warn = (says: string, remedy: string): Result => ({ state: "warn", says, remedy });
export const wrong = (says: string, remedy: string): Result => ({ state: "wrong", says, remedy });

/** `line` is a message of the bot's log: the problem, and after a semicolon the remedy. */
export function fromLine(state: "warn" | "wrong", line: string): Result {
  const [says = line, ...remedies] = line.split("; ");
  return { state, says, remedy: remedies.join("; ") || "correct it, and check again" };
}

/** If `work` takes too long or rejects, resolves to a result that says so. */
export function inTime<T>(work: Promise<T>, ms: number): Promise<T | Result> {
  const late = wrong(
    `no answer within ${ms / 1_000} s`,
    "check again; if it lasts, look at what stands between this machine and there",
  );
  return withDeadline(work, ms, late).catch((error: unknown) =>
    wrong(
      `could not be checked (${printable(reasonOf(error))})`,
      "check again; if it lasts, it is an error of this program: tell those who make it",
    ),
  );
}

/** Such as "31 s", "5 min", "3 h" or "4 days". */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

const marks: Readonly<Record<Result["state"], string>> = { ok: "✓", warn: "!", wrong: "✗", skipped: "-" };
/** Width of the sign (`✓`, `!`, …), the longest name of a check, and the blanks after them. */
const indent = 11;
/** Columns left for the sentence on a terminal of the usual width. */
const columns = 80 - indent;
/** No sentence reaches this length, because the texts that it quotes are shortened. */
const maxSentence = 2_000;

export function findingLines({ check, state, server, says, remedy }: Finding): string[] {
  const head = `${marks[state]} ${check}`.padEnd(indent);
  const sentences = [server === undefined ? says : `${server}: ${says}`];
  if (remedy !== undefined) sentences.push(`→ ${remedy}`);
  const lines = sentences.flatMap((sentence) => wrapped(printable(sentence, maxSentence), columns));
  return lines.map((line, index) => (index === 0 ? head : " ".repeat(indent)) + line);
}

const counted = (count: number, one: string, more: string) => (count === 1 ? `1 ${one}` : `${count} ${more}`);

export function summaryOf(findings: readonly Finding[]): string {
  const count = (state: Result["state"]) => findings.filter((finding) => finding.state === state).length;
  const [wrongs, warnings] = [count("wrong"), count("warn")];
  const parts = [
    wrongs === 0 ? "Nothing is wrong" : counted(wrongs, "thing is wrong", "things are wrong"),
    ...(warnings > 0 ? [counted(warnings, "warning", "warnings")] : []),
    ...(count("skipped") > 0 ? ["not everything was checked"] : []),
  ];
  return `${parts.join(", ")}.`;
}
