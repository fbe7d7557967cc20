import { z } from "zod";
import { discordIdSchema } from "../basics/discord-id.ts";
import { ruleNameMax } from "../basics/limits/limits-in-texts.ts";

export const ruleStyles = ["staff", "feed"] as const;

/** A condition that is left out matches every order. */
export const ruleSchema = z.strictObject({
  /** Stays the same when the rule gets another place in the list, because the rule's messages are recognised by this id. */
  id: z.string().regex(/^[\w-]{1,20}$/),
  name: z.string().min(1).max(ruleNameMax),
  channelId: discordIdSchema,
  roleId: discordIdSchema.optional(),
  /** "staff" shows the order to the store's people. "feed" is a public line without customer, id and button. */
  style: z.enum(ruleStyles),
  /** The rule matches an order that gets this status. If undefined, the rule matches new orders. */
  status: z.string().max(100).optional(),
  product: z.strictObject({ id: z.string(), title: z.string() }).optional(),
  category: z.strictObject({ id: z.string(), name: z.string() }).optional(),
  /** Matches if the payment method contains this text, in upper or lower case. */
  method: z.string().max(100).optional(),
  /** The least and the greatest total, both included, in the same unit as the store's amounts. */
  from: z.number().optional(),
  to: z.number().optional(),
  /** Minimum number of pieces of all products together. */
  items: z.int().min(1).optional(),
  /** Whether the line of a feed shows the total. */
  showsAmount: z.literal(true).optional(),
  /**
   * Only for "staff": messages show customers, as far as the server's privacy setting allows. Only a person with Manage Server
   * may set this, because other people may read the channel. The alert channel shows customers without this setting.
   */
  showsCustomers: z.literal(true).optional(),
});

export type Rule = Readonly<z.infer<typeof ruleSchema>>;
