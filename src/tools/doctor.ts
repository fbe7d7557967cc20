import { parseArgs, styleText } from "node:util";
import { commands } from "../../commands/index.ts";
import { readConfig } from "../config.ts";
import { examine } from "../doctor/examine.ts";
import { type Finding, findingLines, summaryOf } from "../doctor/finding.ts";
import { loadConfig } from "../load-config.ts";
import { exit } from "../operations/exit.ts";

const colours = { ok: "green", warn: "yellow", wrong: "red", skipped: "dim" } as const;

const coloured = ({ state }: Finding, [first = "", ...rest]: readonly string[]) =>
  [styleText(colours[state], first, { stream: process.stdout }), ...rest].join("\n");

function isJson(): boolean {
  try {
    return parseArgs({ args: process.argv.slice(3), options: { json: { type: "boolean" } } }).values.json ?? false;
  } catch {
    console.error("npm run doctor takes no argument but --json: npm run --silent doctor -- --json");
    exit(2);
  }
}

const asJson = isJson();
const findings: Finding[] = [];
for await (const finding of examine(() => loadConfig(readConfig), commands)) {
  findings.push(finding);
  if (!asJson) console.log(coloured(finding, findingLines(finding)));
}
const isWell = findings.every(({ state }) => state !== "wrong");
const last = asJson ? JSON.stringify({ ok: isWell, findings }, undefined, 2) : `\n${summaryOf(findings)}`;
// `exit` is needed, because a check that ran out of time may still have a connection open.
process.stdout.write(`${last}\n`, () => exit(isWell ? 0 : 1));
