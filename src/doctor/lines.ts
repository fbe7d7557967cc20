import { type Finding, shown } from "./finding.ts";

const marks: Readonly<Record<Finding["state"], string>> = { ok: "✓", warn: "!", wrong: "✗", skipped: "-" };
const columns = 80;
/** Of the mark and the longest name of a check. */
const indent = 11;

/** Words in lines of 80 columns, but for the indent; a longer word, such as a link, is left whole. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > columns - indent) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Longer than any sentence: what is quoted in one is cut where it is put in. */
const longest = 2_000;

/** A finding for a person: what was found, and below it what to do. Nothing in it moves the cursor or colours. */
export function linesOf(finding: Finding): string[] {
  const { check, state, server, says } = finding;
  const head = `${marks[state]} ${check}`.padEnd(indent);
  const body = wrapped(shown(server === undefined ? says : `${server}: ${says}`, longest));
  const remedy = "remedy" in finding ? wrapped(shown(`→ ${finding.remedy}`, longest)) : [];
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
    ...(left > 0 ? [`${left} not checked`] : []),
  ];
  return `${parts.join(", ")}.`;
}
