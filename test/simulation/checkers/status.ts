import { type Checker, type Evidence, firstOf, minute, type Trouble } from "../world/record.ts";
import { finding, isForgotten, isWell, kindOf, statusPeriods, wasRestored } from "./reading.ts";
import { possibleIn, surelyOff, surelyOn } from "./settings.ts";
import { msToShow } from "./statuses.ts";

/** Returns the number after a label. */
function numberOf(text: string, label: string): number | undefined {
  const digits = new RegExp(`\\*\\*${label}:\\*\\*[^\\d\\n]*([\\d,]+)`).exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits.replaceAll(",", ""));
}

/** Whether payments are announced. If so, the bot also follows cancelled orders, because they may be paid late. */
const tellsPayments = (evidence: Evidence) =>
  possibleIn(evidence, 0, evidence.endsAt).some(({ alerts }) => alerts?.statuses.includes("PAID"));

/** Number of orders that have an alert and are not over. */
function followed({ messages, orders, endsAt }: Evidence): number {
  const alerts = messages.filter((message) => kindOf(message) === "alert");
  const isOpen = (id: string) => {
    const order = orders.get(id);
    if (order === undefined) return false;
    const had = statusPeriods(order).flatMap(({ status, from }) => (from < endsAt ? [status] : []));
    return !had.includes("CANCELLED") && !had.includes("REFUNDED");
  };
  return new Set(alerts.flatMap((message) => firstOf(message).orders).filter(isOpen)).size;
}

const noProblem = "**Last problem:** none";
/** Faults of the store in which each request fails. */
const downs = ["unavailable", "nonsense", "firewall", "token-refused"];

/** Troubles in which polls may stop. While a process starts, another one may poll. */
const stopsPolls = ({ kind, how }: Trouble) =>
  kind === "disk" || kind === "clock" || kind === "settings" || (kind === "process" && how !== undefined);

/** `/alerts status` shows the last poll, even if the process that answers is not the process that polls. */
const meanwhile: Checker = (evidence) =>
  evidence.asked.flatMap(({ at, text }) => {
    const { setup, troubles } = evidence;
    const lateMs = setup.pollMs + minute;
    const since = at - lateMs - minute;
    const isOn = surelyOn(evidence, since, at);
    // commands.ts judges commands that failed.
    if (!isOn || text.includes("Reference:")) return [];
    if (!isWell({ ...evidence, troubles: troubles.filter(stopsPolls) }, since, at)) return [];
    const agoMs = setup.startsAt + at - (numberOf(text, "Last check for orders") ?? 0) * 1_000;
    return agoMs > lateMs ? finding("polls seem to stand still", `since ${agoMs} ms: ${text}`) : [];
  });

/** After the store was down, `/alerts status` says so, at least until the next start of a process. */
const problem: Checker = (evidence) => {
  const { setup, troubles, asked, starts, status: last } = evidence;
  return [...asked, ...(last === undefined ? [] : [last])].flatMap(({ at, text }) => {
    const down = troubles.find(({ kind, how = "", isWhole, from, to }) => {
      const isSeen = kind === "store" && isWhole && from + 2 * setup.pollMs + minute < Math.min(at, to);
      return isSeen && downs.includes(how) && surelyOn(evidence, from - minute, at) && isSteady(from, at);
    });
    return down !== undefined && text.includes(noProblem) ? finding("a problem that is not told", text) : [];
  });

  function isSteady(from: number, at: number) {
    const others = troubles.filter((trouble) => stopsPolls(trouble) || trouble.kind === "second");
    return (
      isWell({ ...evidence, troubles: others }, from - minute, at) &&
      starts.every((one) => one.at < from - minute || one.at > at)
    );
  }
};

/** In the end `/alerts status` says that there is no problem. */
const atTheEnd: Checker = (evidence) => {
  const { endsAt, calmFrom, setup, troubles, actions, orders } = evidence;
  const said = evidence.status;
  if (said === undefined || wasRestored(evidence)) return [];
  const { text } = said;
  const isOff = surelyOff(evidence, endsAt - minute, endsAt);
  const isOn = surelyOn(evidence, endsAt - minute, endsAt);
  if (!isOn && !isOff) return [];
  if (isOff) return text.includes("Last check") ? finding("status of alerts that are off", text) : [];
  const waiting = numberOf(text, "Orders waiting to be posted");
  const found = waiting === 0 ? [] : finding("orders wait in the end", String(waiting ?? text));
  const checked = numberOf(text, "Last check for orders");
  const lateMs = setup.startsAt + said.at - (checked ?? 0) * 1_000;
  // The bot shows the time that its own clock had at the last poll.
  const isClockSet = troubles.some(({ kind, to }) => kind === "clock" && to > said.at - setup.pollMs - minute);
  if (!isClockSet && lateMs > setup.pollMs + minute)
    found.push(...finding("polls stand still", `since ${lateMs} ms: ${text}`));
  const isSure =
    setup.discord.nonces &&
    // Orders that left the lists are looked at one after another.
    calmFrom + msToShow(evidence) < endsAt &&
    !(
      tellsPayments(evidence) &&
      [...orders.values()].some((order) => statusPeriods(order).some(({ status }) => status === "CANCELLED"))
    ) &&
    troubles.every(
      ({ how, kind }) => how !== "not-found" && how !== "deleted" && how !== "refused" && kind !== "settings",
    ) &&
    !isForgotten(evidence, 0, endsAt) &&
    actions.every(({ what }) => what.kind !== "alerts-off") &&
    [...orders.values()].every((order) => statusPeriods(order).every(({ status }) => status !== undefined));
  const known = numberOf(text, "Orders being followed");
  if (isSure && known !== followed(evidence))
    found.push(...finding("followed in the end", `${known}, not ${followed(evidence)}`));
  const isQuiet = troubles.every(({ kind }) => kind === "process");
  if (isQuiet && !text.includes(noProblem)) found.push(...finding("a problem that never was", text));
  return found;
};

export const status: Checker = (evidence) => [meanwhile, problem, atTheEnd].flatMap((check) => check(evidence));
