import {
  type Checker,
  clockOf,
  type Evidence,
  markStart,
  minute,
  type RequestTruth,
  second,
  type Trouble,
} from "../world/record.ts";
import { finding, hasRecovered, isMessage, wasChanged, wasRefused, wasRestored, without } from "./reading.ts";

/** A channel is searched only if a message is in doubt. */
function searches(evidence: Evidence) {
  // In a restored copy every message is in doubt.
  if (wasRestored(evidence)) return [];
  const found = evidence.discordRequests.filter(
    ({ method, path, at }) =>
      method === "GET" && /^\/channels\/\d+\/messages$/.test(path) && hasRecovered(without(evidence, "store"), at, at),
  );
  const [first] = found;
  return first === undefined
    ? []
    : finding("searched for nothing", `${found.length} times, first at ${clockOf(first.at)}`);
}

/** Each edit changes the message, unless a search found it or a person pressed a button: then it is unknown what it shows. */
function edits(given: Evidence) {
  const evidence = without(given, "store");
  const { messages, actions, discordRequests } = evidence;
  return messages.flatMap(({ versions, id, channelId }) =>
    versions.flatMap((version, index) => {
      const before = versions[index - 1];
      const isSame = before !== undefined && before.text === version.text && before.card === version.card;
      if (!isSame || !hasRecovered(evidence, version.at, version.at)) return [];
      const isJustBefore = (at: number) => at <= version.at && at > version.at - minute;
      const wasPressed = actions.some(
        ({ what, asked }) => what.kind === "press" && version.orders.includes(what.order) && isJustBefore(asked),
      );
      const path = `/channels/${channelId}/messages`;
      const wasFound = discordRequests.some((one) => one.method === "GET" && one.path === path && isJustBefore(one.at));
      // If a command comes during the edit, the edit is repeated with the new settings.
      const isRepeat = isJustBefore(before.at) && wasChanged(evidence, before.at, version.at);
      return wasPressed || wasFound || isRepeat ? [] : finding("edited for nothing", `${id} at ${clockOf(version.at)}`);
    }),
  );
}

/**
 * Largest number of tries within `seconds`. The wait doubles after each try, up to 5 minutes. The first wait is 8 s
 * after a refusal, and 1 s if there was no clear answer.
 */
const triesIn = (seconds: number, firstSeconds: number) =>
  Math.log2(Math.max(Math.min(seconds, 300) / firstSeconds, 1)) + 3 + seconds / 150;
/** Maximum number of requests for one try of a message: if there is no clear answer, a request is repeated three times. */
const mostRepeats = 4;
/**
 * Maximum number of requests for one try in a channel. An alert, a reply, an edit and a digest may wait for the channel, and
 * each is tried in up to three forms.
 */
const triesOfChannel = 4 * 3;
/** Maximum number of requests for one try while Discord is down, because each request is sent up to four times. */
const triesOfAll = mostRepeats * triesOfChannel;

/** While a channel is closed or Discord is down, the bot tries less and less often. */
function discordDown({ troubles, discordRequests }: Evidence) {
  return troubles.flatMap((trouble) => {
    const { kind, how = "", channelId, isWhole, from, to } = trouble;
    const isClosed = kind === "channel" && how !== "hidden";
    // With another fault at the same time, Discord takes some messages, and each of them ends the waits.
    const isAlone = troubles.every(
      (one) => one === trouble || one.kind !== "discord" || one.from > to || one.to < from,
    );
    const isDown = kind === "discord" && isWhole === true && how === "unavailable" && isAlone;
    const seconds = (to - from) / 1_000;
    if ((!isClosed && !isDown) || seconds < 60) return [];
    const isRefused = ({ path, answer }: RequestTruth) =>
      path.startsWith(`/channels/${channelId}/`) && (answer?.status === 403 || answer?.status === 404);
    const asked = discordRequests.filter(
      (request) => request.at > from && request.at < to && (isDown || isRefused(request)),
    ).length;
    const most = isDown ? triesOfAll * triesIn(seconds, 1) : triesOfChannel * triesIn(seconds, 8);
    return asked <= most
      ? []
      : finding("asked a Discord that refuses", `${asked} times from ${clockOf(from)} to ${clockOf(to)}`);
  });
}

/** Longest time from a change of channels, or from the start of a process, until messages that failed are tried again. */
const heardMs = 30 * second;

/** Troubles after which a process may forget its waits, because another process may have worked meanwhile. */
const forgetsWaits = ({ kind }: Trouble) => kind !== "store" && kind !== "discord" && kind !== "channel";

/** Whether waits may be cut short between two times: channels or settings changed, or a process started or forgot its waits. */
function isCutShort(evidence: Evidence, from: number, to: number): boolean {
  const isNear = (at: number) => at > from - heardMs && at < to;
  return (
    evidence.troubles.some((one) => one.kind === "channel" && (isNear(one.from) || isNear(one.to))) ||
    evidence.troubles.some((one) => forgetsWaits(one) && one.from < to && one.to > from - heardMs) ||
    wasChanged(evidence, from - heardMs, to)
  );
}

/** The attempts to post alerts and public lines, by process and channel. */
const alertsByLane = ({ discordRequests }: Evidence) =>
  Map.groupBy(
    discordRequests.filter((one) => isMessage(one) && /^(?:<@&\d+> )?(?:🔔|🛍️)/.test(one.content ?? "")),
    ({ life, path }) => `${life} ${path}`,
  );

/** Whether Discord took a message in a channel, or showed its messages, between two times. */
const wasOpen = ({ discordRequests }: Evidence, channel: string, from: number, to: number): boolean =>
  discordRequests.some(
    ({ method, path, answer: { status, at } = { status: 500, at: 0 } }) =>
      method !== "PATCH" && path === channel && status < 300 && at > from && at <= to,
  );

/** After a refusal in a channel, the bot waits longer and longer before the next alert or public line there. */
function refusedAgain(evidence: Evidence) {
  return [...alertsByLane(evidence).values()].flatMap((all) => {
    let refusals = 0;
    return all.flatMap((one, index) => {
      const next = all[index + 1];
      const before = all[index - 1];
      if (before !== undefined && isCutShort(evidence, before.at, one.at)) refusals = 0;
      // If another message was posted in the channel meanwhile, the channel is open.
      if (refusals > 0 && before !== undefined && wasOpen(evidence, one.path, before.at, one.at)) refusals = 0;
      // The first request may have posted the message, so the refusal of its repetition says nothing about the channel.
      const { content, answer } = before ?? {};
      const isUnclear = content === one.content && (answer?.at ?? Number.POSITIVE_INFINITY) > one.at;
      refusals = wasRefused(one) && !isUnclear ? refusals + 1 : 0;
      if (refusals === 0 || next === undefined) return [];
      const least = Math.min(8 * second * 2 ** (refusals - 1), 150 * second);
      if (next.at - one.at >= least || isCutShort(evidence, one.at, next.at)) return [];
      return finding("tried a refusing channel", `${refusals} times, again at ${clockOf(next.at)}`);
    });
  });
}

/** The requests that post or edit one message, by process. With 429, Discord says how long to wait. */
const byMessage = ({ discordRequests }: Evidence) =>
  Map.groupBy(
    discordRequests.filter((one) => (isMessage(one) || one.method === "PATCH") && one.answer?.status !== 429),
    ({ life, method, path, content }) => `${life} ${path} ${method === "POST" ? content : ""}`,
  );

/** If a message cannot be posted or edited, the bot tries it less and less often. */
function triedAgain(evidence: Evidence) {
  const isPressed = (from: number, to: number) =>
    evidence.actions.some(({ what, asked }) => what.kind === "press" && asked > from - minute && asked < to);
  return [...byMessage(evidence).values()].flatMap((all) => {
    let run: RequestTruth[] = [];
    return all.flatMap((one) => {
      const { at, answer } = one;
      const [first, last] = [run[0], run.at(-1)];
      const isOver = answer !== undefined && answer.status < 300;
      if (first === undefined || last === undefined || isCutShort(evidence, last.at, at) || isPressed(last.at, at)) {
        run = isOver ? [] : [one];
        return [];
      }
      const count = run.length + 1;
      run = isOver ? [] : [...run, one];
      if (count <= mostRepeats * triesIn((at - first.at) / second, 1)) return [];
      return finding("tried again and again", `${count} times, from ${clockOf(first.at)} to ${clockOf(at)}`);
    });
  });
}

/** After three alerts failed one after another, all alerts of the channel wait at least this long. */
const forAllMs = 4 * second;
const mostFailing = 3;

/** If three alerts fail one after another, the others in their channel wait, too. */
function waitsForAll(evidence: Evidence) {
  return [...alertsByLane(evidence).values()].flatMap((all) => {
    const failing = new Set<string>();
    let since = 0;
    return all.flatMap(({ at, path, content = "", answer: { status } = { status: 500 } }, index) => {
      const next = all[index + 1];
      if (failing.size === 0) since = at;
      // An alert of several orders may name the same order as an earlier alert.
      const mark = / new orders /.test(content) ? undefined : /Thing-\w+/.exec(content)?.[0];
      if (status < 500) failing.clear();
      else if (mark !== undefined) failing.add(mark);
      if (next === undefined || next.content === content || failing.size < mostFailing) return [];
      if (next.at - at >= forAllMs || isCutShort(evidence, at, next.at)) return [];
      if (wasOpen(evidence, path, since, next.at)) return [];
      return finding("sent to a Discord that fails", `after ${failing.size} messages, at ${clockOf(next.at)}`);
    });
  });
}

/** Whether a search showed nothing of a channel's messages, because the bot may not read them. */
function isHidden({ troubles, messages }: Evidence, { path, at, answer }: RequestTruth): boolean {
  const ofChannel = ({ channelId }: { readonly channelId?: string }) => path === `/channels/${channelId}/messages`;
  const changes = troubles.filter((one) => one.kind === "channel" && ofChannel(one) && one.from <= at);
  const last = changes.find(({ to }) => to >= (answer?.at ?? at));
  const isEmpty = !messages.some((message) => ofChannel(message) && message.at < at);
  // Events in the same channel may overlap, and a deleted channel lost its messages.
  const isSure = changes.every((one) => one === last || (last && one.to < last.from && one.how !== "deleted"));
  return last?.how === "hidden" && isSure && !isEmpty;
}

/** If it is unknown whether Discord has a message, the bot searches the channel before the next try. */
function sentAgain(evidence: Evidence) {
  const { discordRequests } = evidence;
  const ofChannels = discordRequests.filter(({ path }) => /^\/channels\/\d+\/messages$/.test(path));
  return [...Map.groupBy(ofChannels, ({ path }) => path).values()].flatMap((all) => {
    const unclear = new Map<string, RequestTruth[]>();
    return all.flatMap((one) => {
      const { content = "", orders = [], method, life, at, answer } = one;
      if (method === "GET" && !isHidden(evidence, one)) unclear.clear();
      if (!isMessage(one)) return [];
      // Without its text, a message has the same content as others.
      const message = `${content} ${orders}`;
      const before = unclear.get(message) ?? [];
      if (answer !== undefined && answer.status < 500) unclear.delete(message);
      else unclear.set(message, [...before, one]);
      if (before.length < mostRepeats && before.every((other) => other.life === life)) return [];
      return finding("sent again without a search", `at ${clockOf(at)}: ${content.slice(0, 60)}`);
    });
  });
}

/** Longest time from a refusal until the next form of the message is sent. A channel takes 5 messages in 5 s. */
const atOnceMs = 15 * second;

/**
 * If Discord refuses the content of a message, the bot sends its orders one by one, or without the texts of the store. If
 * Discord refuses a reply, the bot sends the message without a reference. Returns the messages for which it did not do so at
 * once.
 */
function otherForm(evidence: Evidence) {
  const { discordRequests, troubles } = evidence;
  const paths = Map.groupBy(
    discordRequests.filter((one) => isMessage(one) || one.method === "PATCH"),
    ({ life, path }) => `${life} ${path}`,
  );
  const isHeld = (from: number, to: number) =>
    wasChanged(evidence, from - minute, to) ||
    troubles.some((one) => (forgetsWaits(one) || one.how === "limited") && one.from <= to && one.to >= from - minute);
  return [...paths.values()].flatMap((all) =>
    all.flatMap(({ content = "", isReply, orders, answer }, index) => {
      const hasText = content.includes(markStart);
      // Public lines have no ids.
      if (
        answer === undefined ||
        !orders?.length ||
        !(answer.status === 400 ? hasText : isReply && answer.status === 403)
      )
        return [];
      const by = answer.at + atOnceMs;
      const isOther = (one: RequestTruth) =>
        one.content !== content && one.orders?.some((id) => orders?.includes(id)) === true;
      // If an earlier request may have posted the message, the bot first searches the channel.
      const before = all.slice(0, index).findLast((one) => one.content === content);
      const isUnclear = before !== undefined && (before.answer?.status ?? 500) >= 500;
      const isTried = all.slice(index + 1).some((one) => one.at <= by && isOther(one));
      if (isTried || isUnclear || by > evidence.endsAt || isHeld(answer.at, by)) return [];
      return finding("not sent in another form", `refused at ${clockOf(answer.at)}: ${content.slice(0, 60)}`);
    }),
  );
}

export const requestsToDiscord: Checker = (evidence) =>
  [searches, sentAgain, otherForm, edits, discordDown, refusedAgain, waitsForAll, triedAgain].flatMap((check) =>
    check(evidence),
  );
