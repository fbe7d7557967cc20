import { wrapped } from "../basics/wrapped.ts";

/** What is checked, as the lines begin. */
export type Checked =
  | "Node"
  | "Settings"
  | "Storage"
  | "Bot"
  | "Discord"
  | "Gateway"
  | "Commands"
  | "Store"
  | "Queue"
  | "Keys"
  | "Clock"
  | "Server"
  /** All that was not checked, because something before it failed. */
  | "Skipped";

/** The result of a check. `warn`: it works, and the operator should know. */
export interface Result {
  readonly state: "ok" | "warn" | "wrong" | "skipped";
  /** A sentence without a stop, and nothing secret in it. */
  readonly says: string;
  /** What to do next. */
  readonly remedy?: string;
  /** Id of the Discord server that it is about. */
  readonly server?: string;
}

/** A result with the name of its check. */
export interface Finding extends Result {
  readonly check: Checked;
}

export const ok = (says: string): Result => ({ state: "ok", says });
export const warn = (says: string, remedy: string): Result => ({ state: "warn", says, remedy });
export const wrong = (says: string, remedy: string): Result => ({ state: "wrong", says, remedy });

/** What came from outside, for a terminal: one line of it, without what moves the cursor or colours. */
export const shown = (text: string, maxLength = 100): string =>
  text
    .replaceAll(/\p{C}+/gu, " ")
    .trim()
    .slice(0, maxLength)
    .toWellFormed();

/** Such as "31 s", "5 min", "3 h" or "4 days", also of times below 0. */
export function duration(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

const marks: Readonly<Record<Result["state"], string>> = { ok: "✓", warn: "!", wrong: "✗", skipped: "-" };
/** Of the mark and the longest name of a check. */
const indent = 11;
/** Of a terminal in its usual width. */
const columns = 80 - indent;
/** Longer than any sentence: what is quoted in one is cut where it is put in. */
const maxSentence = 2_000;

/** A finding for a person: what was found, and below it what to do. */
export function findingLines({ check, state, server, says, remedy }: Finding): string[] {
  const head = `${marks[state]} ${check}`.padEnd(indent);
  const sentences = [
    server === undefined ? says : `${server}: ${says}`,
    ...(remedy === undefined ? [] : [`→ ${remedy}`]),
  ];
  const lines = sentences.flatMap((sentence) => wrapped(shown(sentence, maxSentence), columns));
  return lines.map((line, index) => (index === 0 ? head : " ".repeat(indent)) + line);
}

const counted = (count: number, one: string, more: string) => (count === 1 ? `1 ${one}` : `${count} ${more}`);

/** The last line. */
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
