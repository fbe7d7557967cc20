import {
  type Checker,
  clockOf,
  type Evidence,
  firstOf,
  minute,
  type RequestTruth,
  second,
  type Trouble,
} from "../world/record.ts";
import {
  answeredIn,
  finding,
  hasRecovered,
  isFirstPage,
  isForgotten,
  isList,
  isMessage,
  isWell,
  kindOf,
  once,
  statusPeriods,
  wasChanged,
  wasRefused,
  wasRestored,
} from "./reading.ts";
import { possibleIn, statusesAsked, surelyOff, surelyOn } from "./settings.ts";
import { lastsUntilShown } from "./statuses.ts";

/** Returns the number after a label. */
function numberOf(text: string, label: string): number | undefined {
  const digits = new RegExp(`\\*\\*${label}:\\*\\*[^\\d\\n]*([\\d,]+)`).exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits.replaceAll(",", ""));
}

/** Whether payments are announced. If so, the bot also follows cancelled orders, because they may be paid late. */
const tellsPayments = (evidence: Evidence) =>
  possibleIn(evidence, 0, evidence.endsAt).some(({ alerts }) => alerts?.statuses.includes("PAID"));

/** Number of orders that have an alert and are not over. When alerts are turned off, the bot follows no order any more. */
function followed({ messages, orders, actions, endsAt }: Evidence): number {
  const off = actions.findLast(({ what }) => what.kind === "alerts-off");
  const alerts = messages.filter((message) => kindOf(message) === "alert" && message.at > (off?.done ?? 0));
  const isOpen = (id: string) => {
    const order = orders.get(id);
    if (order === undefined) return false;
    const had = statusPeriods(order).flatMap(({ status, from }) => (from < endsAt ? [status] : []));
    return !["CANCELLED", "REFUNDED", undefined].some((status) => had.includes(status));
  };
  return new Set(alerts.flatMap((message) => firstOf(message).orders).filter(isOpen)).size;
}

const noProblem = "**Last problem:** none";
/** Faults of the store in which each request fails. */
const downs = ["unavailable", "nonsense", "firewall", "token-refused"];

/** Troubles in which polls may stop. While a process starts, another one may poll. */
export const stopsPolls = ({ kind, how }: Trouble) =>
  kind === "disk" || kind === "clock" || kind === "settings" || (kind === "process" && how !== undefined);

/** Maximum number of pages in one poll, and time for one search for products. */
const mostPages = 20;
const searchMs = 12_000;

/** Longest time of a poll. With a rule for products or categories, a search may follow each page. */
function longestPollMs({ setup, orders, actions }: Evidence): number {
  const { rowsPerPage = 100 } = setup.store;
  const isSearched = actions.some(({ what }) => what.kind === "rule" && (what.category ?? what.product) !== undefined);
  const pages = Math.min(2 * Math.ceil(orders.size / rowsPerPage), mostPages);
  return Math.max(pages * (setup.latency.store[1] + (isSearched ? searchMs : 0)), minute);
}

/** `/alerts status` shows the last poll, even if the process that answers is not the process that polls. */
const meanwhile: Checker = (evidence) =>
  evidence.asked.flatMap(({ at, text }) => {
    const { setup, troubles } = evidence;
    const lateMs = setup.pollMs + longestPollMs(evidence);
    const since = at - lateMs - minute;
    const isOn = surelyOn(evidence, since, at);
    // commands.ts judges commands that failed.
    if (!isOn || text.includes("Reference:")) return [];
    if (!isWell({ ...evidence, troubles: troubles.filter(stopsPolls) }, since, at)) return [];
    const agoMs = setup.startsAt + at - (numberOf(text, "Last check for orders") ?? 0) * 1_000;
    return agoMs > lateMs ? finding("polls seem to stand still", `since ${agoMs} ms: ${text}`) : [];
  });

/** The answers to `/alerts status`. */
const answers = ({ asked, status: last }: Evidence) => [...asked, ...(last === undefined ? [] : [last])];

/** A page or a message counts as failed after this many requests for it in succession. */
const mostAttempts = 4;

/** Returns the times of the first and the last of several requests, one after another, in which a page or a message failed. */
function failedOnes(requests: readonly RequestTruth[]): { readonly from: number; readonly to: number }[] {
  const same = Map.groupBy(requests, ({ life, path, content }) => `${life} ${path} ${content}`);
  const hasFailed = ({ answer }: RequestTruth) => answer !== undefined && answer.status >= 500;
  return [...same.values()].flatMap((all) =>
    all.flatMap(({ at: to }, index) => {
      const tries = all.slice(Math.max(index + 1 - mostAttempts, 0), index + 1);
      const [{ at: from } = { at: to }] = tries;
      return tries.length === mostAttempts && tries.every(hasFailed) ? [{ from, to }] : [];
    }),
  );
}

/** If polls are rare, returns none: the requests for pages may be of the baseline or a digest, and not of polls. */
const failedPages = once(({ setup, storeRequests }) =>
  setup.pollMs > minute ? [] : failedOnes(storeRequests.filter(isList)),
);
/** Time in which the bot tries each form of a message that Discord refuses. */
const formsMs = minute / 2;

/** Messages that Discord took in no form, because it failed or refused all of them. */
const failedMessages = once((evidence) => {
  const messages = evidence.discordRequests.filter(isMessage);
  const isRefused = ({ at, answer }: RequestTruth) =>
    answer?.status === 400 &&
    evidence.troubles.some(
      ({ how, isWhole, from, to }) => how === "refused" && isWhole === true && at > from && at < to - formsMs,
    );
  const refused = messages.filter(isRefused).map(({ at }) => ({ from: at, to: at + formsMs }));
  return [...failedOnes(messages), ...refused].filter(
    ({ from, to }) => !wasChanged(evidence, from - minute, to + minute),
  );
});

/**
 * After the store was down, a page of a list failed, or Discord took no form of a message, `/alerts status` says so, at least
 * until the next start of a process.
 */
const problem: Checker = (evidence) => {
  const { setup, troubles, starts } = evidence;
  return answers(evidence).flatMap(({ at, text }) => {
    if (!text.includes("**Last problem:**")) return [];
    // The answer shows only the last problem, with its time.
    const said = Number(/\*\*Last problem:\*\*.*<t:(\d+)/.exec(text)?.[1] ?? 0) * second - setup.startsAt;
    const mustKnow = (from: number) =>
      said < from - second && surelyOn(evidence, from - minute, at) && isSteady(from, at);
    const isDown = troubles.some((trouble) => {
      const { kind, how = "", isWhole, from, to } = trouble;
      const isSeen = kind === "store" && isWhole && from + 2 * setup.pollMs + minute < Math.min(at, to);
      // While the bot waits after an earlier failure, no poll notices this one.
      const before = { ...evidence, troubles: troubles.filter((one) => one !== trouble) };
      return isSeen && downs.includes(how) && mustKnow(from) && hasRecovered(before, from, from);
    });
    // After a poll has told that a page failed, the baseline may request the page again, and tells nothing.
    const pages = text.includes(noProblem) ? failedPages(evidence) : [];
    const isFailing = [...pages, ...failedMessages(evidence)].some(
      ({ from, to }) => to + minute < at && mustKnow(from),
    );
    return isDown || isFailing ? finding("a problem that is not told", text) : [];
  });

  function isSteady(from: number, at: number) {
    const others = troubles.filter((trouble) => stopsPolls(trouble) || trouble.kind === "second");
    return (
      isWell({ ...evidence, troubles: others }, from - minute, at) &&
      starts.every((one) => one.at < from - minute || one.at > at)
    );
  }
};

/** Longest time from an answer of the store until the answer to a command shows the poll. */
const countedMs = 3_000;

/** `/alerts status` shows how late the next successful poll is. */
const delay: Checker = (evidence) => {
  const { setup, storeRequests, actions, troubles } = evidence;
  const commands = actions.filter(({ what }) => what.kind !== "press");
  return answers(evidence).flatMap(({ at, text }) => {
    const said = numberOf(text, "Delay");
    if (said === undefined) return text.includes("**Delay:**") ? finding("wrong delay", text) : [];
    const listed = storeRequests.filter((one) => isList(one) && one.answer?.status === 200 && one.answer.at < at);
    const lastAt = Math.max(...listed.map(({ answer }) => answer?.at ?? 0));
    const [first] = listed;
    if (first === undefined) return [];
    const isUntouched = (since: number) =>
      surelyOn(evidence, since, at) && commands.every(({ asked, done = asked }) => done < since || asked > at);
    const lateMs = (readAt: number) => at - readAt - setup.pollMs;
    const others = troubles.filter((one) => stopsPolls(one) || ["second", "process"].includes(one.kind));
    const isLeast = isUntouched(lastAt - minute) && isWell({ ...evidence, troubles: others }, lastAt - minute, at);
    const page1 = listed.findLast(isFirstPage)?.path;
    // After its last answer, a poll may go on with pages that fail, until the next poll begins.
    const endedBy = storeRequests.find((one) => one.path === page1 && one.at > lastAt && one.at < at)?.at ?? at;
    // The poll that began last may still run. The poll before it has ended.
    const before = listed.filter(({ path }) => path === page1).at(-2)?.answer?.at ?? 0;
    // The reading of the baseline requests the first page, too.
    const isMost =
      !text.includes("Earlier orders") && isUntouched(before - minute) && isWell(evidence, before - minute, at);
    const isRight =
      !(isLeast && said * 1_000 < lateMs(endedBy) - countedMs) &&
      !(isMost && said * 1_000 > Math.max(lateMs(before), 0) + countedMs);
    return isRight ? [] : finding("wrong delay", `${said} s at ${clockOf(at)}`);
  });
};

/** Longest time in which the bot reads one page of the baseline. It reads each page in up to four passes. */
const msForPage = 4 * 4_000;

/** While the bot reads the baseline, and only then, `/alerts status` says so, with the number of orders that were read. */
const earlier: Checker = (evidence) =>
  answers(evidence).flatMap(({ at, text }) => {
    const { setup, orders } = evidence;
    const said = /Earlier orders:\*\* being read, ([\d,-]+)/.exec(text)?.[1];
    // A restored copy may have a token that the store refuses.
    if (said === undefined || wasRestored(evidence)) return [];
    const counted = Number(said.replaceAll(",", ""));
    // An order that changes its status meanwhile may count in two lists.
    if (counted < 0 || counted > 2 * orders.size) return finding("wrong number of earlier orders", text);
    const pages = Math.ceil(orders.size / (setup.store.rowsPerPage ?? 100)) * statusesAsked(evidence, 0, at);
    const since = at - minute - pages * msForPage;
    const isSure = hasRecovered(evidence, since, at) && !wasChanged(evidence, since, at);
    return isSure ? finding("reading without end", text) : [];
  });

/** Failures of Discord after which a message may or may not have been posted. */
const unclear: readonly (string | undefined)[] = ["lost-request", "lost-answer", "late-answer", "not-discord", "mixed"];

/** Time from an answer of Discord until the bot has recorded what follows from it. */
const recordedMs = 5_000;

/**
 * Whether Discord refused the last message in a channel, or the last edit after that message. Undefined if it is unclear what
 * the bot knows about the channel.
 */
function isRefusing(evidence: Evidence, channelId: string, at: number): boolean | undefined {
  const all = answeredIn(evidence, channelId).filter(({ answer }) => answer.at < at);
  // Other answers, such as a 429, leave the state as it is.
  const post = all.findLast((one) => one.method === "POST" && (one.answer.status < 300 || wasRefused(one)));
  // If an alert was deleted, the answer to its edit is 404.
  const edit = all.findLast(({ method, answer }) => method === "PATCH" && answer.status !== 404);
  const search = all.findLast(({ method }) => method === "GET");
  // A digest also shows that messages can be posted, but its refusal is another problem.
  if (post === undefined || !isMessage(post) || (search !== undefined && wasRefused(search))) return undefined;
  const isEdited = edit !== undefined && edit.answer.at > post.answer.at;
  const last = isEdited ? edit : post;
  const until = Math.max(all.at(-1)?.answer.at ?? 0, last.answer.at) + recordedMs;
  const others = evidence.troubles.filter(({ kind, how }) =>
    kind === "discord" ? unclear.includes(how) : kind !== "store" && kind !== "channel",
  );
  const isSure =
    until < at &&
    !wasChanged(evidence, post.at - minute, at) &&
    isWell({ ...evidence, troubles: others }, post.at - minute, until) &&
    // Edits that follow a press say nothing about the channel.
    !(isEdited && evidence.actions.some(({ what, asked }) => what.kind === "press" && asked > edit.at - minute));
  return isSure ? wasRefused(post) || wasRefused(last) : undefined;
}

/** `/alerts status` says that posting fails if Discord refuses messages in the alert channel, and only then. */
const blocked: Checker = (evidence) =>
  answers(evidence).flatMap(({ at, text }) => {
    const channelId = possibleIn(evidence, at, at)[0]?.alerts?.channelId;
    const isBlocked = channelId === undefined ? undefined : isRefusing(evidence, channelId, at);
    if (isBlocked === undefined || wasRestored(evidence) || text.includes("posting fails") === isBlocked) return [];
    return finding("wrong state of the channel", text);
  });

/** `/store status` names the channels of rules in which Discord refuses messages, and no others. */
const blockedElsewhere: Checker = (evidence) => {
  const { at, text } = evidence.storeStatus ?? { at: 0, text: "" };
  const [settings] = possibleIn(evidence, at, at);
  if (settings?.alerts === undefined || text === "" || wasRestored(evidence)) return [];
  const channels = new Set(settings.rules.map(({ channelId }) => channelId));
  channels.delete(settings.alerts.channelId);
  return [...channels].flatMap((channelId) => {
    const isBlocked = isRefusing(evidence, channelId, at);
    if (isBlocked === undefined || text.includes(`<#${channelId}>`) === isBlocked) return [];
    return finding("wrong state of a channel", `${channelId}: ${text}`);
  });
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
    lastsUntilShown(evidence, calmFrom) &&
    !(
      tellsPayments(evidence) &&
      [...orders.values()].some((order) => statusPeriods(order).some(({ status }) => status === "CANCELLED"))
    ) &&
    troubles.every(
      ({ how, kind }) => how !== "not-found" && how !== "deleted" && how !== "refused" && kind !== "settings",
    ) &&
    !isForgotten(evidence, 0, endsAt) &&
    actions.every(({ what, done }) => what.kind !== "alerts-off" || done !== undefined) &&
    [...orders.values()].every((order) =>
      statusPeriods(order).every(
        // An order may lack a status only at the end, when the store no longer has it.
        ({ status, from, to }) => (status !== undefined || to > endsAt) && (from <= calmFrom || from > endsAt),
      ),
    );
  const known = numberOf(text, "Orders being followed");
  if (isSure && known !== followed(evidence))
    found.push(...finding("followed in the end", `${known}, not ${followed(evidence)}`));
  const isQuiet = troubles.every(({ kind }) => kind === "process");
  if (isQuiet && !text.includes(noProblem)) found.push(...finding("a problem that never was", text));
  return found;
};

export const status: Checker = (evidence) =>
  [meanwhile, delay, problem, earlier, blocked, blockedElsewhere, atTheEnd].flatMap((check) => check(evidence));
