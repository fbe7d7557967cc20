import { type Checker, clockOf, type Evidence, firstOf, type MessageTruth } from "../world/record.ts";
import { finding, wasRestored } from "./reading.ts";
import { surelyOff } from "./settings.ts";

const minute = 60_000;
/** A store that is down is told of after 10 minutes, and its waits are up to 5; a poll may be rare. */
const lateMs = 16 * minute;

const starts = { down: /^❌ The store (?:has not answered|refuses)/, back: /^✅ The store is answering again/ };
const isAbout = (message: MessageTruth, what: keyof typeof starts) => starts[what].test(firstOf(message).content);

/** Of a store that fails people are told once, and again when it answers. */
function store(evidence: Evidence) {
  const { messages, troubles, setup, endsAt } = evidence;
  const told = messages.filter((message) => isAbout(message, "down") || isAbout(message, "back"));
  return told.flatMap((message, index) => {
    const next = told[index + 1];
    const text = `at ${clockOf(message.at)}`;
    if (isAbout(message, "back")) return [];
    const isReal = troubles.some(
      ({ kind, from, to }) => kind === "store" && from <= message.at && to > message.at - lateMs - setup.pollMs,
    );
    if (!isReal) return finding("told of a store that answers", text);
    const isUnclear =
      !setup.discord.nonces ||
      troubles.some(({ kind, from, to }) => kind !== "store" && from < message.at + minute && to > message.at - minute);
    const isSame = next !== undefined && firstOf(next).content.slice(0, 25) === firstOf(message).content.slice(0, 25);
    if (isSame && !isUnclear) return finding("told twice of the store", `${text} and ${clockOf(next.at)}`);
    // It is sent once, and what else was wrong then may have kept it back.
    const isAlone = troubles.every(({ kind, to }) => kind === "store" || to < message.at || to > endsAt);
    const isOff =
      isAlone &&
      !surelyOff(evidence, message.at, endsAt) &&
      next === undefined &&
      evidence.deeds.every(({ what }) => what.kind !== "alerts-off");
    return isOff ? finding("not told that the store answers", text) : [];
  });
}

/** The owner is told of a channel only when it is closed to the bot. */
const owner = ({ direct, troubles }: Evidence) =>
  direct.flatMap(({ at, content }) => {
    const why = troubles.filter(
      ({ kind, how, from, to }) => (kind === "channel" || how === "forbidden") && from <= at && to > at - lateMs,
    );
    return why.length > 0 ? [] : finding("owner told of nothing", `at ${clockOf(at)}: ${content.slice(0, 80)}`);
  });

export const notices: Checker = (evidence) => (wasRestored(evidence) ? [] : [...store(evidence), ...owner(evidence)]);
