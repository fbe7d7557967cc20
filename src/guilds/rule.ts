import { z } from "zod";
import { discordIdSchema } from "../basics/discord-id.ts";

/** Rules of one server: their record is read for each poll, and 25 are 10 kB at most. */
export const mostRules = 25;
/** Statuses that rules name: where the API takes one at a time, each costs 3 requests a poll. */
export const mostRuleStatuses = 5;

export const ruleStyles = ["staff", "feed"] as const;

/** A rule about where some orders are posted. A condition that is left out fits every order. */
export const ruleSchema = z.strictObject({
  /** Does not change when the rule is moved or renamed, because messages sent by the rule are known by it. */
  id: z.string().regex(/^[\w-]{1,20}$/),
  name: z.string().min(1).max(40),
  channelId: discordIdSchema,
  /** Mentioned with each message. */
  roleId: discordIdSchema.optional(),
  /** A normal alert, or a short line for the public without customer, id and button. */
  style: z.enum(ruleStyles),
  /** The rule fits an order that enters this status; undefined: new orders. */
  status: z.string().max(100).optional(),
  /** Fits an order that has this product. */
  product: z.strictObject({ id: z.string(), title: z.string() }).optional(),
  /** Fits an order that has a product of this category. */
  category: z.strictObject({ id: z.string(), name: z.string() }).optional(),
  /** Fits if the payment method contains this text, in any case. */
  method: z.string().max(100).optional(),
  /** Bounds of the total in the store's own unit, both included. */
  from: z.number().optional(),
  to: z.number().optional(),
  /** The least number of pieces of all products together. */
  items: z.int().min(1).optional(),
  /** In a feed: whether the line shows the total. */
  showsAmount: z.literal(true).optional(),
  /**
   * Only for alerts: whether customers may be shown, as far as the server's privacy allows. It needs a person with Manage Server,
   * because other people may read the channel. In the alert channel customers are shown without it.
   */
  showsCustomers: z.literal(true).optional(),
});

export type Rule = Readonly<z.infer<typeof ruleSchema>>;
