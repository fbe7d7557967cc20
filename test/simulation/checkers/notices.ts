import {
  type Checker,
  clockOf,
  type Evidence,
  firstOf,
  type MessageTruth,
  minute,
  type RequestTruth,
  type Trouble,
} from "../world/record.ts";
import {
  answeredIn,
  finding,
  hasRecovered,
  isFirstPage,
  isMessage,
  pollsToFind,
  timesOf,
  wasChanged,
  wasRefused,
} from "./reading.ts";
import { possibleIn, surelyOn, surelyRings } from "./settings.ts";

/** Longest delay of the notice that the store is down: it is due after 10 minutes, and a wait can add 5. */
const lateMs = 16 * minute;
/** Number of orders that one poll certainly finds. */
const mostCounted = 1_000;

const starts = {
  down: /^(?:⚠️|❌) The store (?:has given no usable answer|refuses)/,
  back: /^✅ The store is answering again/,
};
const isAbout = (message: MessageTruth, what: keyof typeof starts) => starts[what].test(firstOf(message).content);

/** Time without an answer before people are told. */
const quietMs = 10 * minute;

/** Finds a notice that the store does not answer, although the store has answered a poll within the last 10 minutes. */
export const early: Checker = ({ messages, troubles, storeRequests, actions }) => {
  if (actions.some(({ what }) => what.kind === "digest")) return [];
  const isListed = (request: RequestTruth) => isFirstPage(request) && request.answer?.status === 200;
  return messages
    .filter((message) => firstOf(message).content.startsWith("⚠️ The store has given no usable answer"))
    .flatMap(({ at }) => {
      const since = storeRequests.findLast((request) => isListed(request) && (request.answer?.at ?? at) < at)?.answer
        ?.at;
      // Whether the answer at `from` was perhaps not of a successful poll. Another trouble may have made the poll fail, and
      // commands read the lists, too. Troubles of Discord do not matter, because they only delay the notice.
      const isUnclear = (from: number) =>
        troubles.some(
          ({ kind, ...one }) =>
            kind !== "discord" &&
            kind !== "channel" &&
            one.from <= (kind === "store" ? from : at) &&
            one.to >= from - (kind === "store" ? 0 : minute),
        ) ||
        actions.some(({ what, asked, done = at }) => what.kind !== "press" && asked <= at && done >= from - minute);
      if (since === undefined || since < at - quietMs || isUnclear(since)) return [];
      return finding("told early of the store", `at ${clockOf(at)}, it answered at ${clockOf(since)}`);
    });
};

/** People are told once that the store is down, and once that it answers again. */
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
    // When alerts are turned off, the bot forgets what it has told.
    const wasOff = isSame && !surelyOn(evidence, message.at, next.at);
    const isBetween = ({ from, to }: Trouble) => isSame && from < next.at && to > message.at;
    // True if the store failed again, and another trouble may have prevented the notice that the store answers again.
    const isLost =
      troubles.some((one) => one.kind === "store" && one.from > message.at && isBetween(one)) &&
      troubles.some((one) => one.kind !== "store" && isBetween(one));
    if (isSame && !isUnclear && !wasOff && !isLost)
      return finding("told twice of the store", `${text} and ${clockOf(next.at)}`);
    // The notice is sent only once. Another trouble at this time may have prevented it.
    const isAlone = troubles.every(({ kind, to }) => kind === "store" || to < message.at || to > endsAt);
    const isOff = isAlone && next === undefined && surelyOn(evidence, message.at, endsAt);
    return isOff ? finding("not told that the store answers", text) : [];
  });
}

/** The owner is told about a channel only if the bot cannot use the channel. The notice names the rule that chose it. */
const owner = (evidence: Evidence) =>
  evidence.direct.flatMap(({ at, content }) => {
    const channel = /<#(\d+)>/.exec(content)?.[1];
    const why = evidence.troubles.filter(
      ({ kind, how, channelId, from, to }) =>
        (kind === "channel" ? channelId === channel : how === "forbidden") && from <= at && to > at - lateMs,
    );
    const text = `at ${clockOf(at)}: ${content.slice(0, 80)}`;
    if (why.length === 0) return finding("owner told of nothing", text);
    const possible = possibleIn(evidence, at - lateMs, at);
    const isNamed = possible.some(({ rules }) =>
      rules.some((rule) => rule.channelId === channel && content.includes(rule.name)),
    );
    const isOther =
      possible.some(({ alerts }) => alerts?.channelId === channel) ||
      evidence.actions.some(({ what }) => what.kind === "digest" && what.channelId === channel);
    return isNamed || isOther ? [] : finding("owner told without the rule", text);
  });

/** Whether no other trouble disturbs the bot during this one and shortly after it. */
const isAlone = (evidence: Evidence, one: Trouble) =>
  hasRecovered(
    { ...evidence, troubles: evidence.troubles.filter((other) => other !== one) },
    one.from,
    one.to + minute,
  );

/** People are told if the store is down for long enough. */
const storeTold = (evidence: Evidence) =>
  evidence.troubles.flatMap((trouble) => {
    const { kind, how = "", isWhole, from, to } = trouble;
    const { setup, messages } = evidence;
    const isRefused = how === "token-refused";
    if (kind !== "store" || isWhole !== true || !["unavailable", "nonsense", "firewall", "token-refused"].includes(how))
      return [];
    // The second poll sees the trouble. People are told of a refused token at once, and of others after 10 to 15 minutes.
    const dueAt = from + 2 * setup.pollMs + (isRefused ? minute : lateMs);
    const isOn = surelyOn(evidence, from - minute, to);
    if (dueAt > to || !isOn || !isAlone(evidence, trouble)) return [];
    const isTold = messages.some((message) => isAbout(message, "down") && message.at >= from && message.at <= dueAt);
    return isTold ? [] : finding("not told of the store", `${how} at ${clockOf(from)}, due at ${clockOf(dueAt)}`);
  });

/** When the store answers again, people are told how many orders came meanwhile. */
const arrivedTold = (evidence: Evidence) =>
  evidence.messages.flatMap((message) => {
    const { troubles, orders, setup } = evidence;
    const trouble = troubles.find(
      ({ kind, from, to }) => kind === "store" && from < message.at && to > message.at - lateMs,
    );
    if (!isAbout(message, "back") || trouble === undefined || !isAlone(evidence, trouble)) return [];
    const { from, to } = trouble;
    // One poll reads about twenty pages of new orders.
    if (orders.size > mostCounted || message.at < to) return [];
    const all = [...orders.values()];
    const sure = all.filter(
      ({ placedAt, statuses: [first, ...others] }) =>
        placedAt > from &&
        placedAt < to &&
        others.length === 0 &&
        surelyRings(evidence, first?.status ?? "", placedAt, message.at),
    );
    const before = from - pollsToFind(evidence, true) * setup.pollMs - minute;
    const possible = all.filter(({ statuses }) => statuses.some(({ at }) => at > before && at < message.at));
    const said = Number(/([\d,]+) orders? arrived/.exec(firstOf(message).content)?.[1]?.replaceAll(",", "") ?? 0);
    if (said >= sure.length && said <= possible.length) return [];
    const text = `${said} at ${clockOf(message.at)}, not from ${sure.length} to ${possible.length}`;
    return finding("wrong number of orders that came meanwhile", text);
  });

/** Whether there was trouble that can delay a direct message, or repeat it. */
const isDelayed = ({ troubles }: Evidence, from: number, to: number) =>
  troubles.some((one) => !["store", "channel"].includes(one.kind) && one.from <= to && one.to >= from);

/** The owner is told once that Discord refuses messages in a channel, and again only after Discord took one there. */
const ownerTold = (evidence: Evidence) => {
  const { direct, discordRequests, setup } = evidence;
  const channels = new Set(discordRequests.filter(isMessage).map(({ path }) => path.split("/")[2] ?? ""));
  return [...channels].flatMap((channelId) => {
    const all = answeredIn(evidence, channelId);
    const told = direct.filter(({ content }) => content.includes(`<#${channelId}>`));
    // If Discord refuses a direct message, the owner takes none, and the bot does not try again.
    const untold = discordRequests.filter(
      (one) => one.content?.includes(`<#${channelId}>`) && !isMessage(one) && wasRefused(one),
    );
    const taken = all.filter(({ method, answer }) => method !== "GET" && answer.status < 300);
    const lastBefore = (at: number, some: readonly (typeof all)[number][]) =>
      some.findLast(({ answer }) => answer.at < at)?.answer.at ?? 0;
    // If the bot may not read the channel, this is a problem, too. It does not end when a message is posted.
    if (all.some((one) => one.method === "GET" && wasRefused(one))) return [];
    const again = told.find(({ at, content }) => {
      const before = told.findLast((one) => one.at < at && one.content.split(":")[0] === content.split(":")[0]);
      return (
        before !== undefined &&
        lastBefore(at, taken) < before.at &&
        !isDelayed(evidence, before.at - minute, at) &&
        !wasChanged(evidence, before.at - minute, at)
      );
    });
    if (again !== undefined && setup.discord.nonces) return finding("owner told twice", timesOf([again]));
    return all
      .flatMap((one) => {
        const { at } = one.answer;
        const by = at + minute;
        const isNamed = possibleIn(evidence, at - minute, by).every(
          ({ alerts, rules }) =>
            alerts?.channelId === channelId || (alerts && rules.some((rule) => rule.channelId === channelId)),
        );
        if (!isMessage(one) || !wasRefused(one) || !isNamed || wasChanged(evidence, at - minute, by)) return [];
        // Without Read Message History, Discord refuses only replies, and the bot posts the message without a reference.
        if (one.isReply) return [];
        if (isDelayed(evidence, at - minute, by) || by > evidence.endsAt) return [];
        // An edit alone does not end the problem.
        const since = lastBefore(at, taken.filter(isMessage));
        const isTold = [...told, ...untold].some((notice) => notice.at > since && notice.at <= by);
        return isTold ? [] : finding("owner not told", `refused at ${clockOf(at)}`);
      })
      .slice(0, 1);
  });
};

export const notices: Checker = (evidence) =>
  [store, owner, storeTold, arrivedTold, ownerTold].flatMap((check) => check(evidence));
