import { createHash } from "node:crypto";
import type { Log } from "../operations/log.ts";
import { ALERT_BATCH_SIZE, alertMessage } from "../views/alert.ts";
import type { ViewContext } from "../views/context.ts";
import type { Ledger, OwedEntry, PostedEntry } from "./ledger.ts";
import { type Messenger, MessengerError } from "./messenger.ts";

/** Discord takes 5 messages in 5 s per channel; more orders than that share messages. */
const mostSingles = 5;
/** How far the clocks of this machine and of Discord may differ when an alert is looked for. */
const clockMarginMs = 10 * 60_000;

/** Why delivery stopped before everything owed was posted. */
export type Blockage = "channel_gone" | "forbidden";
export interface Delivery {
  readonly posted: number;
  /** Discord will not take messages for this channel until its owner mends it. */
  readonly blocked?: Blockage;
  /** What else stopped it; the next poll goes on. */
  readonly failure?: MessengerError;
}

/** The same text for the same orders in the same channel, within Discord's 25 characters. */
export function nonceFor(guildId: string, channelId: string, ids: readonly string[]): string {
  return createHash("sha256")
    .update([guildId, channelId, ...ids].join("\n"))
    .digest("base64url")
    .slice(0, 25);
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

interface DeliveryInput {
  readonly guildId: string;
  readonly channelId: string;
  readonly roleId: string | undefined;
  readonly owed: readonly OwedEntry[];
  /**
   * Ids of which it is certain that no send was ever under way. All others are looked for in the channel first: this
   * process or an earlier one may have sent them without learning so. Kept up to date here.
   */
  readonly neverSent: Set<string>;
  readonly ctx: ViewContext;
  readonly ledger: Ledger;
  readonly messenger: Messenger;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Records as posted what already stands in a channel, and returns the rest. */
async function withoutPosted(input: DeliveryInput): Promise<OwedEntry[]> {
  const { owed, neverSent, channelId, messenger, ledger, log } = input;
  const doubtful = owed.filter(({ order }) => !neverSent.has(order.id));
  if (doubtful.length === 0) return [...owed];
  const since = Math.min(...doubtful.map(({ foundAt }) => foundAt)) - clockMarginMs;
  const found = new Map<string, PostedEntry>();
  for (const place of new Set([channelId, ...doubtful.map((entry) => entry.channelId)])) {
    const messages = await messenger.own(place, since).catch((error: unknown) => {
      if (place !== channelId && error instanceof MessengerError && isBlockage(error.code)) return [];
      throw error;
    });
    for (const message of messages) {
      const marks = message.marks.join("\n");
      const here = doubtful.filter(
        ({ order }) => marks.includes(order.id) || marks.includes(encodeURIComponent(order.id)),
      );
      const batch = here.map(({ order }) => order.id);
      for (const entry of here) found.set(entry.order.id, posted(entry, message.channelId, message.id, batch));
    }
  }
  if (found.size > 0) {
    await ledger.posted([...found.values()]);
    log.info({ guild: input.guildId, orders: found.size }, "alerts sent before a crash were found in the channel");
  }
  for (const { order } of doubtful) if (!found.has(order.id)) neverSent.add(order.id);
  return owed.filter(({ order }) => !found.has(order.id));
}

function isBlockage(code: MessengerError["code"]): code is Blockage {
  return code === "channel_gone" || code === "forbidden";
}

/** Sends one message for these orders and records it. A payload that Discord refuses is tried in smaller parts. */
async function post(input: DeliveryInput, group: readonly OwedEntry[]): Promise<void> {
  const { guildId, channelId, roleId, ctx, neverSent, messenger, ledger } = input;
  const ids = group.map(({ order }) => order.id);
  for (const id of ids) neverSent.delete(id);
  try {
    const orders = group.map(({ order }) => order);
    const payload = alertMessage(orders, ctx, roleId ? { roleId } : {});
    const { id } = await messenger.send(channelId, payload, nonceFor(guildId, channelId, ids));
    await ledger.posted(group.map((entry) => posted(entry, channelId, id, ids)));
  } catch (error) {
    if (!(error instanceof MessengerError) || error.code === "uncertain") throw error;
    for (const id of ids) neverSent.add(id);
    if (error.code !== "refused" || group.length === 1) throw error;
    for (const entry of group) await post(input, [entry]);
  }
}

/**
 * Posts what is owed, oldest first, each order once: what a crash or a lost answer left in doubt is looked for in the
 * channel before it is sent again. Whatever stops it leaves the rest owed.
 *
 * Rejects only when the storage fails.
 */
export async function deliver(input: DeliveryInput): Promise<Delivery> {
  let sent = 0;
  let refusal: MessengerError | undefined;
  try {
    const rest = await withoutPosted(input);
    sent += input.owed.length - rest.length;
    for (const group of grouped(rest)) {
      if (input.signal.aborted) break;
      try {
        await post(input, group);
        sent += group.length;
      } catch (error) {
        // One order that Discord will not take must not hold up the others.
        if (!(error instanceof MessengerError) || error.code !== "refused") throw error;
        refusal = error;
      }
    }
    return { posted: sent, ...(refusal ? { failure: refusal } : {}) };
  } catch (error) {
    if (!(error instanceof MessengerError)) throw error;
    return isBlockage(error.code)
      ? { posted: sent, blocked: error.code, failure: error }
      : { posted: sent, failure: error };
  }
}
