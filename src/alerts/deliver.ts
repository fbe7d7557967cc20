import { setImmediate } from "node:timers/promises";
import type { Log } from "../basics/log.ts";
import type { Metrics } from "../basics/metrics.ts";
import { type AlertOrder, alertBatchSize, alertMessage } from "../views/alert.ts";
import type { ViewContext } from "../views/context.ts";
import { parseCustomId } from "../views/custom-id.ts";
import { hasButtons } from "../views/handling.ts";
import { isRouted } from "../views/hidden-mark.ts";
import { strandedNote, unsureNote } from "../views/routed.ts";
import type { Ledger, OwedEntry, PostedEntry } from "./ledger.ts";
import { lookFrom } from "./look-from.ts";
import { type Messenger, MessengerError, type PostedMessage } from "./messenger.ts";
import { nonceFor } from "./nonce.ts";
import type { Place } from "./place.ts";
import type { Reminders } from "./reminders.ts";
import type { Resort } from "./route-channels.ts";
import { isBlockage } from "./troubles.ts";

/** Discord takes 5 messages in 5 s per channel; more orders than that share messages. */
const mostSingles = 5;
/** Messages looked through before the event loop turns. */
const messagesAtOnce = 200;
/** What the entry of an order keeps of its items that shares its message: two lines of the message show no more. */
const itemsOfShared = 10;
/** How fast the clock may have been that says since when an alert may stand, where the store's clock says that it was. */
const mostFastMs = 24 * 60 * 60_000;

export interface Delivery {
  readonly posted: number;
  /** What stopped it before everything owed was posted; the next poll goes on. */
  readonly failure?: MessengerError;
  /** The history may not or cannot be read: what may have been sent already waits for that, and nothing else does. */
  readonly hidden?: MessengerError;
}

/** What one process knows of its sends. All of it may be lost. */
export interface SendMemory {
  /**
   * Ids of which it is certain that no send was ever under way. All others are looked for in the channel first: this
   * process or an earlier one may have sent them without learning so.
   */
  readonly neverSent: Set<string>;
  /**
   * Those of them that are older than this process, by id, with the time (epoch ms) from which to look for them: where
   * the storage was restored from a backup, an earlier process may have sent them.
   */
  readonly older: Map<string, number>;
  /** Ids that were sent alone without a clear answer: sent again alone, they are the same message to Discord. */
  readonly triedAlone: Set<string>;
  /** Ids whose message Discord will not take, however it is put: not tried again by this process. */
  readonly refused: Set<string>;
}

/** A process that has sent nothing yet. */
export const newSendMemory = (): SendMemory => ({
  neverSent: new Set(),
  older: new Map(),
  triedAlone: new Set(),
  refused: new Set(),
});

export interface DeliveryInput extends SendMemory {
  readonly guildId: string;
  readonly place: Resort;
  readonly owed: readonly OwedEntry[];
  readonly ctx: ViewContext;
  readonly ledger: Ledger;
  readonly messenger: Messenger;
  readonly reminders: Pick<Reminders, "add">;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Ends a send that has not left yet. */
  readonly signal: AbortSignal;
  /** Epoch ms. */
  readonly now: () => number;
  /** Asked before each message. */
  readonly goesOn: () => boolean;
  /** Throws where another process polls now: nothing may be sent or recorded any more. */
  readonly assertMine: () => void;
}

type Stand = Pick<PostedEntry, "channelId" | "messageId" | "isClassic">;

function posted(entry: OwedEntry, stand: Stand, batch: readonly string[]): PostedEntry {
  const { customer: _, ...whole } = entry.order;
  const order = batch.length > 1 ? { ...whole, items: whole.items.slice(0, itemsOfShared) } : whole;
  const { foundAt, isFormer, route } = entry;
  const others = { ...(route ? { route } : {}), ...(isFormer ? { isFormer } : {}) };
  return { state: "posted", order, ...stand, batch: [...batch], foundAt, ...others };
}

/**
 * The batches that were tried in this channel before, with the same orders in them: the same orders make the same nonce,
 * by which Discord knows a message that it has already.
 */
function triedBefore(entries: readonly OwedEntry[], channelId: string): OwedEntry[][] {
  const byId = new Map(entries.map((entry) => [entry.order.id, entry]));
  return entries.flatMap(({ order, batch, channelIds }) => {
    if (batch?.[0] !== order.id || channelIds.at(-1) !== channelId) return [];
    const members = batch.flatMap((id) => byId.get(id) ?? []);
    const isWhole = members.length === batch.length && members.every((member) => member.batch?.[0] === order.id);
    return isWhole ? [members] : [];
  });
}

/** Orders oldest first: alone while they fit the channel's rate limit, several in one message beyond that. */
function grouped(entries: readonly OwedEntry[], { place: { channelId }, triedAlone }: DeliveryInput): OwedEntry[][] {
  // A message of several has an order's mark in its menu alone.
  const alone = entries.filter(({ order }) => triedAlone.has(order.id) || !hasButtons(order.id));
  const groups = [...triedBefore(entries, channelId), ...alone.map((entry) => [entry])];
  const isGrouped = new Set(groups.flat());
  const others = entries.filter((entry) => !isGrouped.has(entry));
  const size = others.length <= mostSingles ? 1 : alertBatchSize;
  for (let start = 0; start < others.length; start += size) groups.push(others.slice(start, start + size));
  return groups;
}

/** Ids of the orders that a message shows, in its order: the values of its menu, or what the custom id of its button carries. */
function shownIn({ marks }: PostedMessage, byId: ReadonlyMap<string, OwedEntry>): string[] {
  const ids = marks.flatMap((mark) => (byId.has(mark) ? [mark] : (parseCustomId(mark)?.args ?? [mark])));
  return [...new Set(ids)];
}

/**
 * Which of these orders stand in one of the channels in which they may have been posted. The oldest message of an order is
 * its alert: a ring for its payment came later.
 */
async function findPosted(input: DeliveryInput, doubtful: readonly OwedEntry[], since: number) {
  const found = new Map<string, PostedEntry>();
  const byId = new Map(doubtful.map((entry) => [entry.order.id, entry]));
  const here = input.place.channelId;
  for (const place of new Set([here, ...doubtful.flatMap(({ channelIds }) => channelIds)])) {
    const messages = await input.messenger.own(place, since).catch((error: unknown) => {
      if (place !== here && error instanceof MessengerError && isBlockage(error.code)) return [];
      throw error;
    });
    for (const [index, message] of messages.entries()) {
      if (index % messagesAtOnce === messagesAtOnce - 1) await setImmediate();
      // What a rule sent for a later status is not the alert.
      if (isRouted(message.marks)) continue;
      // All of them, also those that are not looked for now: an edit makes the message anew from its whole batch.
      const batch = shownIn(message, byId);
      const shown = batch.flatMap((id) => byId.get(id) ?? []);
      const { channelId, id: messageId, isV2 } = message;
      const stands: Stand = { channelId, messageId, ...(isV2 ? {} : { isClassic: true }) };
      for (const entry of shown) found.set(entry.order.id, posted(entry, stands, batch));
    }
  }
  return found;
}

/**
 * As {@link findPosted}, for orders that this process has certainly not sent: only a process before a restored backup could
 * have. Where the channel's history may not be read, that is too unlikely to hold them up.
 */
async function findOlder(input: DeliveryInput, older: readonly OwedEntry[], since: number) {
  try {
    return await findPosted(input, older, since);
  } catch (error) {
    if (error instanceof MessengerError && isBlockage(error.code)) return new Map<string, PostedEntry>();
    throw error;
  }
}

/** Records as posted what already stands in a channel, and returns the rest. */
async function withoutPosted(input: DeliveryInput, owed: readonly OwedEntry[]): Promise<OwedEntry[]> {
  const { neverSent, older, ledger, reminders, log } = input;
  const doubtful = owed.filter(({ order }) => !neverSent.has(order.id));
  const aged = owed.filter(({ order }) => neverSent.has(order.id) && older.has(order.id));
  if (doubtful.length + aged.length === 0) return [...owed];
  const found = new Map<string, PostedEntry>();
  let earliest = input.now();
  if (doubtful.length > 0) {
    // No alert is older than its order.
    const begins = doubtful.map(({ order: { createdAt = Number.POSITIVE_INFINITY }, foundAt, sentSince = foundAt }) =>
      Math.min(sentSince, Math.max(createdAt, sentSince - mostFastMs)),
    );
    const since = lookFrom(begins, input.now());
    earliest = Math.min(earliest, since);
    for (const [id, entry] of await findPosted(input, doubtful, since)) found.set(id, entry);
  }
  if (aged.length > 0) {
    const begins = aged.map(({ order, foundAt }) => older.get(order.id) ?? foundAt);
    const since = lookFrom(begins, input.now());
    earliest = Math.min(earliest, since);
    for (const [id, entry] of await findOlder(input, aged, since)) found.set(id, entry);
  }
  input.assertMine();
  if (found.size > 0) {
    await reminders.add([...found.values()], earliest);
    await ledger.posted([...found.values()]);
    log.info({ guild: input.guildId, orders: found.size }, "alerts sent without an answer were found in the channel");
  }
  for (const { order } of [...doubtful, ...aged]) {
    older.delete(order.id);
    if (found.has(order.id)) neverSent.delete(order.id);
    else neverSent.add(order.id);
  }
  return owed.filter(({ order }) => !found.has(order.id));
}

/** Puts down where a send may end up, and with which others, unless that is known already. */
async function noteAttempt({ place: { channelId }, ledger }: DeliveryInput, group: readonly OwedEntry[]) {
  const batch = group.length > 1 ? group.map(({ order }) => order.id) : undefined;
  const isNoted = group.every(
    (entry) => entry.channelIds.at(-1) === channelId && entry.batch?.join() === batch?.join(),
  );
  if (isNoted) return;
  const channels = (known: readonly string[]) => [...known.filter((id) => id !== channelId), channelId];
  await ledger.keepOwed(group.map((entry) => ({ ...entry, batch, channelIds: channels(entry.channelIds) })));
}

/** Customers stand in alerts of a single order only: an edit makes the message anew, and the ledger keeps no customers. */
function shownOf(group: readonly OwedEntry[], { showsCustomers }: Place): readonly AlertOrder[] {
  const isOpen = group.length === 1 && showsCustomers;
  return group.map(({ order }) => (isOpen ? order : { ...order, customer: undefined }));
}

/**
 * To be called for orders of which no send was under way before this one, when Discord said clearly that it took none of
 * them. They are looked for all the same before they are sent again, for a proxy may have said so in Discord's place, but
 * they need not wait where the channel's history may not be read.
 */
function notSent({ neverSent, older, now }: DeliveryInput, fresh: readonly OwedEntry[]) {
  for (const { order, foundAt } of fresh) {
    neverSent.add(order.id);
    older.set(order.id, Math.min(foundAt, now()));
  }
}

/** Sends one message for these orders and records it. */
async function send(input: DeliveryInput, group: readonly OwedEntry[], shown = shownOf(group, input.place)) {
  const { guildId, place, ctx, neverSent, messenger, ledger, signal } = input;
  const { channelId, roleId, insteadOf } = place;
  const ids = group.map(({ order }) => order.id);
  await noteAttempt(input, group);
  const payload = alertMessage(shown, ctx, {
    ...(roleId ? { roleId } : {}),
    notes: [
      ...(insteadOf ? [strandedNote(insteadOf, ctx)] : []),
      ...(group.some(({ isUnsure }) => isUnsure) ? [unsureNote(ctx)] : []),
    ],
  });
  const fresh = group.filter(({ order }) => neverSent.has(order.id));
  for (const id of ids) neverSent.delete(id);
  const [only = ""] = ids;
  if (ids.length === 1) input.triedAlone.add(only);
  input.assertMine();
  const sending = messenger.send(channelId, payload, nonceFor(guildId, channelId, ids), signal);
  const { id } = await sending.catch((error: unknown) => {
    const isClear = error instanceof MessengerError && error.code !== "uncertain";
    if (isClear) notSent(input, fresh);
    throw error;
  });
  input.assertMine();
  const stand: Stand = { channelId, messageId: id, isClassic: true };
  const entries = group.map((entry) => posted(entry, stand, ids));
  await input.reminders.add(entries);
  await ledger.posted(entries);
  for (const { order, foundAt } of group) {
    const at = input.now();
    const sinceCreatedMs = order.createdAt === undefined ? undefined : at - order.createdAt;
    input.metrics.alertPosted({ sinceCreatedMs, sinceSeenMs: at - foundAt });
  }
  input.triedAlone.delete(only);
}

const isRefusal = (error: unknown) => error instanceof MessengerError && error.code === "refused";

/** Posts these orders; what Discord refuses together is tried alone, and at last without what others wrote. */
async function post(input: DeliveryInput, group: readonly OwedEntry[]): Promise<number> {
  try {
    await send(input, group);
    return group.length;
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  let sent = 0;
  const batch = group.map(({ order }) => order.id);
  for (const entry of group) {
    try {
      // As it was put down for the message of several: alone, it is put down anew.
      if (group.length > 1) sent += await post(input, [{ ...entry, batch }]);
      else {
        await send(input, group, [{ ...entry.order, items: [], paymentMethod: "", customer: undefined }]);
        sent++;
      }
    } catch (error) {
      if (!isRefusal(error)) throw error;
      input.refused.add(entry.order.id);
      input.log.error(
        { err: error, guild: input.guildId, order: entry.order.id },
        "Discord refuses an alert; it stays owed",
      );
    }
  }
  return sent;
}

/**
 * Posts what is owed, oldest first, each order once: what a crash or a lost answer left in doubt is looked for in the
 * channel before it is sent again. Whatever stops it leaves the rest owed.
 *
 * Rejects when the storage fails, and with what `assertMine` throws.
 */
export async function deliver(input: DeliveryInput): Promise<Delivery> {
  const { owed, refused, neverSent, older, goesOn } = input;
  let sent = 0;
  let hidden: MessengerError | undefined;
  try {
    const due = owed.filter(({ order }) => !refused.has(order.id));
    const rest = await withoutPosted(input, due).catch((error: unknown) => {
      // Where the history is not to be read, only what may have been sent already has to wait for that.
      if (!(error instanceof MessengerError) || error.code === "channel_gone") throw error;
      hidden = error;
      const mayGo = (id: string) => neverSent.has(id) && (error.code === "forbidden" || !older.has(id));
      return due.filter(({ order }) => mayGo(order.id));
    });
    if (!hidden) sent += due.length - rest.length;
    for (const group of grouped(rest, input)) {
      if (!goesOn()) break;
      sent += await post(input, group);
    }
    return { posted: sent, ...(hidden ? { hidden } : {}) };
  } catch (error) {
    if (!(error instanceof MessengerError)) throw error;
    return { posted: sent, failure: error };
  }
}
