import { wrapped } from "../basics/wrapped.ts";
import { type Finding, shown } from "./finding.ts";

const marks: Readonly<Record<Finding["state"], string>> = { ok: "✓", warn: "!", wrong: "✗", skipped: "-" };
/** Of the mark and the longest name of a check. */
const indent = 11;
/** Of a terminal that nobody made wider. */
const columns = 80 - indent;

/** Longer than any sentence: what is quoted in one is cut where it is put in. */
const longest = 2_000;

/** A finding for a person: what was found, and below it what to do. Nothing in it moves the cursor or colours. */
export function findingLines(finding: Finding): string[] {
  const { check, state, server, says } = finding;
  const head = `${marks[state]} ${check}`.padEnd(indent);
  const body = wrapped(shown(server === undefined ? says : `${server}: ${says}`, longest), columns);
  const remedy = "remedy" in finding ? wrapped(shown(`→ ${finding.remedy}`, longest), columns) : [];
  return [...body, ...remedy].map((line, index) => (index === 0 ? head : " ".repeat(indent)) + line);
}

const counted = (count: number, one: string, more: string) => (count === 1 ? `1 ${one}` : `${count} ${more}`);

/** The last line. */
export function summaryOf(findings: readonly Finding[]): string {
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  const [bad, warnings, left] = [count("wrong"), count("warn"), count("skipped")];
  const parts = [
    bad === 0 ? "Nothing is wrong" : counted(bad, "thing is wrong", "things are wrong"),
    ...(warnings > 0 ? [counted(warnings, "warning", "warnings")] : []),
    ...(left > 0 ? ["not everything was checked"] : []),
  ];
  return `${parts.join(", ")}.`;
}
