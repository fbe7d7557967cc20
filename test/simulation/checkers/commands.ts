import { refusals } from "../world/people.ts";
import { type Checker, clockOf, minute } from "../world/record.ts";
import { finding, hasRecovered, wasRestored } from "./reading.ts";

/** Maximum number of interactions without an answer: three, and one in ten of all. They may arrive too late to be answered. */
const mostLate = ({ length }: readonly unknown[]) => 3 + length / 10;

/** The answer if a restored copy has an old token, which the store refuses. */
const refusedToken = "The store refused the API token";

/** While there is no trouble, each command succeeds, or is refused with a reason. */
export const commands: Checker = (evidence) => {
  const asked = evidence.actions.filter(
    (action) => action.what.kind !== "press" && hasRecovered(evidence, action.asked, action.asked + minute),
  );
  const late = asked.filter(({ answer = "" }) => answer.startsWith("Error: waited"));
  const failed = asked.filter(({ answer = "" }) => {
    const isRestored = answer.includes(refusedToken) && wasRestored(evidence);
    return answer.includes("Reference:") && !refusals.test(answer) && !isRestored;
  });
  const [first] = late.length > mostLate(asked) ? [...failed, ...late] : failed;
  return first === undefined
    ? []
    : finding("command failed", `${first.what.kind} at ${clockOf(first.asked)}: ${first.answer}`);
};
