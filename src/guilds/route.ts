import { z } from "zod";

/** An id of Discord. The pattern matters, because ids become parts of addresses. */
export const idSchema = z.string().regex(/^\d{1,20}$/);

/** Rules of one server: their record is read for each poll, and 25 are 10 kB at most. */
export const mostRoutes = 25;
/** Statuses that rules name: where the API takes one at a time, each costs 3 requests a poll. */
export const mostRouteStatuses = 5;

export const routeStyles = ["staff", "feed"] as const;

/** A rule that says where some orders go. What is left out fits every order. */
export const routeSchema = z.strictObject({
  /** Stays the same when the rule is moved or renamed: what was sent by it is known by that. */
  id: z.string().regex(/^[\w-]{1,20}$/),
  name: z.string().min(1).max(40),
  channelId: idSchema,
  /** Mentioned with each message. */
  roleId: idSchema.optional(),
  /** An alert as it always is, or a short line for the public: no customer, no id, no button. */
  style: z.enum(routeStyles),
  /** It counts when an order enters this status; without one, for new orders. */
  status: z.string().max(100).optional(),
  /** An order that has it. */
  product: z.strictObject({ id: z.string(), title: z.string() }).optional(),
  /** An order with a product of it. */
  category: z.strictObject({ id: z.string(), name: z.string() }).optional(),
  /** A part of the payment method, in any case. */
  method: z.string().max(100).optional(),
  /** Totals in the store's own unit, both included. */
  from: z.number().optional(),
  to: z.number().optional(),
  /** Pieces of all products together, at least. */
  items: z.int().min(1).optional(),
  /** In a feed: the total stands in the line. */
  showsAmount: z.literal(true).optional(),
  /**
   * In the style of alerts: customers may be shown, as the server's privacy says, because not everybody reads the channel and
   * a person with Manage Server made the rule. In the alerts' own channel they are shown without that, as alerts show them.
   */
  showsCustomers: z.literal(true).optional(),
});

export type Route = Readonly<z.infer<typeof routeSchema>>;
