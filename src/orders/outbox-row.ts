import { z } from "zod";
import type { TableShape } from "../storage/table.ts";
import { digestName } from "./digest-state.ts";
import { factsSchema } from "./order-row.ts";

/**
 * Attempt: a send that was recorded before it was made. If no answer was recorded, only a search in the channel shows whether
 * the message was posted.
 */
const attemptSchema = z.object({
  channelId: z.string(),
  /** Keys of the rows in the message, in sequence. The same keys give the same nonce. Empty if the keys are unknown. */
  members: z.array(z.string()).readonly(),
  /** For each member, the status that the message shows for its order. */
  shown: z.array(z.string()).readonly(),
  /** Epoch ms. */
  at: z.number(),
});

const common = {
  /** When the cause of the message was found (epoch ms). */
  foundAt: z.number(),
  /**
   * Set if the storage was restored: since when (epoch ms) the message may have been posted. This can be before `foundAt`,
   * because the cause was found again after the restore.
   */
  since: z.number().optional(),
  /** At most one attempt per channel, the latest at the end. Empty if the message was certainly never sent. */
  attempts: z.array(attemptSchema).readonly().default([]),
};

/** The encrypted customer, in a message with one order. */
const customer = z.string().optional().catch(undefined);

const alertSchema = z.object({
  ...common,
  kind: z.literal("alert"),
  orderId: z.string(),
  customer,
  /** The rule that chooses the channel. */
  route: z.string().optional(),
  /** Set if no rule was found, and the reason may be that a product's category was unknown. */
  isUnsure: z.literal(true).optional(),
});

/** A reply to an alert: the order was paid, or paid back. */
const replySchema = z.object({
  ...common,
  kind: z.literal("reply"),
  what: z.enum(["paid", "refunded"]),
  facts: factsSchema,
  /** Channel and message of the alert. */
  channelId: z.string(),
  messageId: z.string(),
  route: z.string().optional(),
});

/**
 * A message that a rule posts in addition to the alert: a line for the public, or a notice to the staff that an order has a new
 * status.
 */
const ruleSchema = z.object({ ...common, kind: z.literal("rule"), route: z.string(), facts: factsSchema });

/** A reminder. It is sent if no person took the order in time. */
const reminderSchema = z.object({
  ...common,
  kind: z.literal("reminder"),
  /** Channel and message of the alert. */
  channelId: z.string(),
  messageId: z.string(),
  route: z.string().optional(),
  orderIds: z.array(z.string()).readonly(),
});

/** An edit: the message is rendered again from its orders. */
const editSchema = z.object({
  ...common,
  kind: z.literal("edit"),
  channelId: z.string(),
  messageId: z.string(),
  orderIds: z.array(z.string()).readonly(),
  customer,
});

/** A digest: the sums of a day or week. `foundAt` is the time when it was due. */
const digestSchema = z.object({
  ...common,
  ...digestName,
  kind: z.literal("digest"),
  /** Number of earlier digests that were never posted. */
  missed: z.number(),
});

const rowSchema = z.discriminatedUnion("kind", [
  alertSchema,
  replySchema,
  ruleSchema,
  reminderSchema,
  editSchema,
  digestSchema,
]);

/** One message to send, or one edit. sender.ts (outbox/) works on these rows in the background. */
export type OutboxRow = Readonly<z.infer<typeof rowSchema>>;
export type Kind = OutboxRow["kind"];
export type RowOf<K extends Kind> = Extract<OutboxRow, { readonly kind: K }>;

/** The rows of a server's outbox, by {@link keyOf}. A malformed row is not sent. */
export const outboxTable: TableShape<OutboxRow | null> = {
  name: "outbox",
  schema: rowSchema.nullable().catch(null),
  version: 1,
};

/** Returns the key of a row. Each cause of a message has one key, so it cannot be recorded twice. */
export function keyOf(row: OutboxRow): string {
  switch (row.kind) {
    case "alert":
      return alertKey(row.orderId);
    case "reply":
      return replyKey(row.what, row.facts.id);
    case "rule":
      return `rule/${row.route}/${row.facts.id}`;
    case "reminder":
    case "edit":
      return `${row.kind}/${row.messageId}`;
    case "digest":
      return `digest/${row.every}.${row.day}`;
  }
}

export const alertKey = (orderId: string): string => `alert/${orderId}`;
export const replyKey = (what: RowOf<"reply">["what"], orderId: string): string => `reply/${what}/${orderId}`;
