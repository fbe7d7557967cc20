import type { Fault } from "./fault.ts";
import { asAlways } from "./owner.ts";
import type { Played } from "./play-fault.ts";

/** A fault that was played, or that cannot be caused here. */
export type Row = Played | { readonly fault: Fault; readonly missing: string };

const isPlayed = (row: Row): row is Played => !("missing" in row);

export function wrongIn({ fault, lost, doubled, isEdited, endCode }: Played): string[] {
  return [
    ...(lost > 0 ? [`${fault.title}: ${lost} orders never came to the channel`] : []),
    ...(doubled > 0 ? [`${fault.title}: ${doubled} orders came to the channel more than once`] : []),
    ...(isEdited ? [] : [`${fault.title}: the order that was paid does not say so`]),
    ...(endCode === 0 ? [] : [`${fault.title}: the process ended with ${endCode}`]),
  ];
}

const seconds = (ms: number) => (Number.isFinite(ms) ? `${Math.max(Math.round(ms / 1_000), 1)} s` : "never");

const inOneLine = (lines: readonly string[]) => lines.map((line) => line.replace(/\n+/g, " ")).join("; ");

function summary(row: Row): string {
  const { title } = row.fault;
  if (!isPlayed(row)) return `| ${title} | not made here | | | |`;
  const { placed, lost, doubled, recoveredAfterMs } = row;
  return `| ${title} | ${placed} | ${lost} | ${doubled} | ${seconds(recoveredAfterMs)} |`;
}

function section(row: Row): string {
  const { title, made } = row.fault;
  if (!isPlayed(row)) return `**${title}.** Not made here: ${row.missing}.\n`;
  const { metrics } = row;
  const unanswered = metrics.unanswered > 0 ? ["no answer during the fault"] : [];
  const answers = Map.groupBy(row.asked, ({ answer }) => answer);
  const seen = [
    ["The alert channel, beside the alerts", row.channel],
    ["Direct message to the owner", row.direct],
    ...[...answers]
      .filter(([answer]) => answer !== asAlways)
      .map(([answer, asked]) => [asked.map(({ command }) => `\`/${command}\``).join(", "), [answer]] as const),
    ["Log", row.log],
    ["`/readyz`", [...unanswered, ...metrics.reasons]],
    ["`/metrics`", [...unanswered, ...metrics.lines]],
  ] as const;
  const lines = seen.filter(([, said]) => said.length > 0).map(([where, said]) => `- ${where}: ${inOneLine(said)}`);
  return [`**${title}.** ${made}`, "", ...lines, ""].join("\n");
}

export function render(rows: readonly Row[]): string {
  return `# Faults

This page shows what an operator and a store's owner see during eleven faults, and that no order is lost. \`npm run faults\` writes this page. For each fault,
this script starts a real process of the bot, which polls every second. Orders arrive before, during and after the fault, and one order is paid during the
fault. The script fails unless each order is in the channel exactly once, the paid order is shown as paid, and the process ends with code 0.

| Fault | Orders | Lost | Doubled | All posted after |
|---|---:|---:|---:|---:|
${rows.map(summary).join("\n")}

The time in the last column begins at the end of the fault. It ends when all orders that came before or during the fault are posted. It differs from run to run,
because waits between two tries are partly random. After a third of the fault's time, somebody types \`/orders\`, \`/alerts status\` and \`/store settings\`. The
lists below leave out normal answers, the state \`ready\`, a log without warnings, and metrics that do not show the fault. Metrics are read twice a second. A
number such as \`10 ×\` says how often a line of the log was written. The log has the same warning about one server at most 10 times a minute.

${rows.map(section).join("\n")}`;
}
