import { createHash } from "node:crypto";
import type { Log } from "../operations/log.ts";
import { ALERT_BATCH_SIZE, type AlertOrder, alertMessage } from "../views/alert.ts";
import type { ViewContext } from "../views/context.ts";
import { parseCustomId } from "../views/custom-id.ts";
import type { Ledger, OwedEntry, PostedEntry } from "./ledger.ts";
import { type Messenger, MessengerError } from "./messenger.ts";

/** Discord takes 5 messages in 5 s per channel; more orders than that share messages. */
const mostSingles = 5;
/** How far the clocks of this machine and of Discord may differ when an alert is looked for. */
const clockMarginMs = 10 * 60_000;

/** Why nothing can be posted in a channel until its owner mends it. */
export type Blockage = "channel_gone" | "forbidden";

export interface Delivery {
  readonly posted: number;
  readonly blocked?: Blockage;
  /** What stopped it before everything owed was posted; the next poll goes on. */
  readonly failure?: MessengerError;
}

/** The same text for the same orders in the same channel, within Discord's 25 characters. */
export function nonceFor(guildId: string, channelId: string, ids: readonly string[]): string {
  return createHash("sha256")
    .update([guildId, channelId, ...ids].join("\n"))
    .digest("base64url")
    .slice(0, 25);
}

/** What one process knows of its sends. All of it may be lost. */
export interface SendMemory {
  /**
   * Ids of which it is certain that no send was ever under way. All others are looked for in the channel first: this
   * process or an earlier one may have sent them without learning so.
   */
  readonly neverSent: Set<string>;
  /** Ids whose message Discord will not take, however it is put: not tried again by this process. */
  readonly refused: Set<string>;
}

export interface DeliveryInput extends SendMemory {
  readonly guildId: string;
  readonly channelId: string;
  readonly roleId: string | undefined;
  readonly owed: readonly OwedEntry[];
  readonly ctx: ViewContext;
  readonly ledger: Ledger;
  readonly messenger: Messenger;
  readonly log: Log;
  /** Asked before each message. */
  readonly goesOn: () => boolean;
}

function posted(entry: OwedEntry, channelId: string, messageId: string, batch: readonly string[]): PostedEntry {
  const { customer: _, ...order } = entry.order;
  return { state: "posted", order, channelId, messageId, batch, foundAt: entry.foundAt };
}

/** Orders oldest first: alone while they fit the channel's rate limit, several in one message beyond that. */
function grouped(entries: readonly OwedEntry[]): OwedEntry[][] {
  const size = entries.length <= mostSingles ? 1 : ALERT_BATCH_SIZE;
  const groups: OwedEntry[][] = [];
  for (let start = 0; start < entries.length; start += size) groups.push(entries.slice(start, start + size));
  return groups;
}

function isBlockage(code: MessengerError["code"]): code is Blockage {
  return code === "channel_gone" || code === "forbidden";
}

/** Records as posted what already stands in a channel, and returns the rest. */
async function withoutPosted(input: DeliveryInput): Promise<OwedEntry[]> {
  const { owed, neverSent, channelId, messenger, ledger, log } = input;
  const doubtful = owed.filter(({ order }) => !neverSent.has(order.id));
  if (doubtful.length === 0) return [...owed];
  const since = Math.min(...doubtful.map(({ foundAt }) => foundAt)) - clockMarginMs;
  const found = new Map<string, PostedEntry>();
  for (const place of new Set([channelId, ...doubtful.flatMap(({ channelIds }) => channelIds)])) {
    const messages = await messenger.own(place, since).catch((error: unknown) => {
      if (place !== channelId && error instanceof MessengerError && isBlockage(error.code)) return [];
      throw error;
    });
    for (const message of messages) {
      const shown = new Set(message.marks.flatMap((mark) => [mark, ...(parseCustomId(mark)?.args ?? [])]));
      const here = doubtful.filter(({ order }) => shown.has(order.id));
      const batch = here.map(({ order }) => order.id);
      for (const entry of here) found.set(entry.order.id, posted(entry, message.channelId, message.id, batch));
    }
  }
  if (found.size > 0) {
    await ledger.posted([...found.values()]);
    log.info({ guild: input.guildId, orders: found.size }, "alerts sent without an answer were found in the channel");
  }
  for (const { order } of doubtful) if (!found.has(order.id)) neverSent.add(order.id);
  return owed.filter(({ order }) => !found.has(order.id));
}

/** Puts down where a send may end up, for alerts that were found while another channel was set. */
async function noteChannel(input: DeliveryInput, group: readonly OwedEntry[]) {
  const elsewhere = group.filter(({ channelIds }) => !channelIds.includes(input.channelId));
  if (elsewhere.length === 0) return;
  await input.ledger.owe(elsewhere.map((entry) => ({ ...entry, channelIds: [...entry.channelIds, input.channelId] })));
}

/** Customers stand in single alerts only: an edit of several would need them from where they are not kept. */
function shownOf(group: readonly OwedEntry[]): AlertOrder[] {
  return group.map(({ order }) => (group.length > 1 ? { ...order, customer: undefined } : order));
}

/** Sends one message for these orders and records it. */
async function send(input: DeliveryInput, group: readonly OwedEntry[], shown = shownOf(group)) {
  const { guildId, channelId, roleId, ctx, neverSent, messenger, ledger } = input;
  const ids = group.map(({ order }) => order.id);
  for (const id of ids) neverSent.delete(id);
  const payload = alertMessage(shown, ctx, roleId ? { roleId } : {});
  const { id } = await messenger.send(channelId, payload, nonceFor(guildId, channelId, ids));
  await ledger.posted(group.map((entry) => posted(entry, channelId, id, ids)));
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
  for (const entry of group) {
    try {
      if (group.length > 1) sent += await post(input, [entry]);
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
 * Rejects only when the storage fails.
 */
export async function deliver(input: DeliveryInput): Promise<Delivery> {
  const { owed, refused, goesOn } = input;
  let sent = 0;
  try {
    const due = owed.filter(({ order }) => !refused.has(order.id));
    const rest = await withoutPosted({ ...input, owed: due });
    sent += due.length - rest.length;
    for (const group of grouped(rest)) {
      if (!goesOn()) break;
      await noteChannel(input, group);
      sent += await post(input, group);
    }
    return { posted: sent };
  } catch (error) {
    if (!(error instanceof MessengerError)) throw error;
    return { posted: sent, failure: error, ...(isBlockage(error.code) ? { blocked: error.code } : {}) };
  }
}
