import { type Checker, clockOf } from "../world/record.ts";
import { finding, isWell } from "./reading.ts";

const minute = 60_000;
/** What failed before may be felt for so long. */
const recoveryMs = 16 * minute;
/** An interaction may arrive too late to be answered: three of them do not. */
const mostLate = 2;

const refusals = /There is (?:already a|no) rule with that name|Alerts are off in this server/;

/** While nothing is wrong, each command does what it is asked, or says why not; it does not fail. */
export const commands: Checker = (evidence) => {
  const asked = evidence.deeds.filter(
    (deed) => deed.what.kind !== "press" && isWell(evidence, deed.asked - recoveryMs, deed.asked + minute),
  );
  const late = asked.filter(({ answer = "" }) => answer.startsWith("Error: waited"));
  const failed = asked.filter(({ answer = "" }) => answer.includes("Reference:") && !refusals.test(answer));
  const [first] = late.length > mostLate ? [...failed, ...late] : failed;
  return first === undefined
    ? []
    : finding("command failed", `${first.what.kind} at ${clockOf(first.asked)}: ${first.answer}`);
};
