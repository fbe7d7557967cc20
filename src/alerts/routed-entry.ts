import { z } from "zod";
import type { TableShape } from "../storage/table.ts";
import { orderSchema } from "./ledger-entry.ts";

/** The status that stands for an order's first ring, among those that it was seen in. */
export const firstRing = "";

const sightSchema = z.object({
  /** Statuses in which it was seen, by their keys: no rule counts for them any more. */
  statuses: z.array(z.string()).readonly(),
  /** Those for which a message by a rule rings. */
  rung: z.array(z.string()).readonly().optional(),
  /** Rules of which a message was sent before the status was put down: the process ended in between. */
  sent: z.array(z.string()).readonly().optional(),
});

/** What rules know of an order: 300 bytes on disk with its id, for good, as the ledger; only where a server has rules. */
export type Sight = Readonly<z.infer<typeof sightSchema>>;

/** A server's orders as rules have seen them, by their ids. A malformed one was seen in nothing. */
export const sightsTable: TableShape<Sight> = {
  name: "sights",
  schema: sightSchema.catch({ statuses: [] }),
  version: 1,
};

const routedSchema = z.object({
  route: z.string(),
  /** As the order was when the rule fitted; without the customer. */
  order: orderSchema,
  /** What the rule waited for: a status by its key, or the first ring. */
  event: z.string(),
  /** Every channel to which it may have been sent. */
  channelIds: z.array(z.string()).readonly(),
  /** Keys of all of the message in which it was last sent, if that had several. */
  batch: z.array(z.string()).readonly().optional(),
  /** Epoch ms. */
  foundAt: z.number(),
  /** Since when it may stand in one of those channels although it was found later: the storage was restored. Epoch ms. */
  sentSince: z.number().optional(),
});

/** A message by a rule that has to be sent: a line of a feed, or a ring for a status that came after the alert. */
export type RoutedEntry = Readonly<z.infer<typeof routedSchema>>;

/** A server's messages by rules that are still to be sent, by {@link routedKey}. A malformed one is sent by nobody. */
export const routedTable: TableShape<RoutedEntry | null> = {
  name: "routed",
  schema: routedSchema.nullable().catch(null),
  version: 1,
};

/** Rules have ids without blanks, so no two orders and rules have the same. */
export const routedKey = (routeId: string, orderId: string): string => `${routeId} ${orderId}`;

/** The id of the rule in a {@link routedKey}. */
export const ruleOfKey = (key: string): string => key.slice(0, key.indexOf(" "));
