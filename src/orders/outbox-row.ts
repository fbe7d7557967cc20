import { z } from "zod";
import { digestName } from "../guilds/digest-settings.ts";
import type { TableShape } from "../storage/table.ts";
import { factsSchema } from "./order-row.ts";

/** Written before the request to Discord. If no answer is recorded, only a search in the channel shows what was posted. */
const attemptSchema = z.object({
  channelId: z.string(),
  /** Keys of the message's outbox rows, in the message's sequence. They decide the nonce. Empty in some migrated rows. */
  members: z.array(z.string()).readonly(),
  /** For each member: the status of its first order at the attempt. "" if the order was not read, or has no stored content. */
  shown: z.array(z.string()).readonly(),
  /** Epoch ms. */
  at: z.number(),
});

const common = {
  /** When the cause of the message was found (epoch ms). */
  foundAt: z.number(),
  /**
   * Set after a restore from a copy: the earliest time (epoch ms) at which the message may have been posted. Also set for a
   * digest if a clock was fast when the last digest was recorded.
   */
  since: z.number().optional(),
  /** Attempts that may have posted the message: at most one per channel, the latest at the end. */
  attempts: z.array(attemptSchema).readonly().default([]),
};

/** Encrypted. A message shows the customer only if it has one order. */
const customer = z.string().optional().catch(undefined);

const alertSchema = z.object({
  ...common,
  kind: z.literal("alert"),
  orderId: z.string(),
  customer,
  /** The rule that chose the channel. Undefined: the alert channel. */
  route: z.string().optional(),
  /** No rule was chosen, because a product's category was unknown. */
  isUnsure: z.literal(true).optional(),
});

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

/** A rule's message that is no alert: a public line, or a message to the staff about an order that got the rule's status. */
const ruleSchema = z.object({ ...common, kind: z.literal("rule"), route: z.string(), facts: factsSchema });

const reminderSchema = z.object({
  ...common,
  kind: z.literal("reminder"),
  /** Channel and message of the alert. */
  channelId: z.string(),
  messageId: z.string(),
  route: z.string().optional(),
  orderIds: z.array(z.string()).readonly(),
});

/** The message is rendered again from its orders. */
const editSchema = z.object({
  ...common,
  kind: z.literal("edit"),
  channelId: z.string(),
  messageId: z.string(),
  orderIds: z.array(z.string()).readonly(),
  customer,
});

/** `foundAt` is when the digest was due. */
const digestSchema = z.object({
  ...common,
  ...digestName,
  kind: z.literal("digest"),
  /** As in `DueDigest`. */
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

/** One message may be sent for several rows. */
export type OutboxRow = Readonly<z.infer<typeof rowSchema>>;
export type Kind = OutboxRow["kind"];
export type RowOf<K extends Kind> = Extract<OutboxRow, { readonly kind: K }>;

/** Keys are made by {@link keyOf}. A malformed row is not sent. */
export const outboxTable: TableShape<OutboxRow | null> = {
  name: "outbox",
  schema: rowSchema.nullable().catch(null),
  version: 1,
};

/** Names the cause of the message, so one cause has at most one row. */
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
