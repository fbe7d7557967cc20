import { z } from "zod";
import { baselineSchema } from "../orders/baseline.ts";
import type { TableShape } from "../storage/table.ts";

const foundSchema = z.object({
  /** Ids of orders, each with its status: some 30 kB for a list. */
  orders: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
  /** Arguments of `takeAsSeen`. */
  alerting: z.array(z.string()).readonly(),
  awaited: z.array(z.string()).readonly(),
  all: z.boolean(),
});

/** Orders that a command found in the store's lists. */
export type Found = Readonly<z.infer<typeof foundSchema>>;

const rowSchema = z.object({
  /** How far the baseline has been read. */
  reading: baselineSchema,
  /** Orders to treat as seen before anything else is read. */
  pending: z
    .object({
      found: z.array(foundSchema).readonly(),
      /** The store is another one: the rows of the former store are to be removed first. */
      isOtherStore: z.literal(true).optional(),
    })
    .readonly()
    .optional(),
});

/** The baseline of one server. */
export type BaselineRow = Readonly<z.infer<typeof rowSchema>>;

/**
 * Baselines by the ids of servers, while alerts are on. Commands commit a row with the server's record, and the process that polls
 * continues it; each expects the row as it was read. A malformed row is a failure until alerts are turned off, which deletes it. If it
 * counted as none or as done, old orders would be alerted.
 */
export const baselineTable: TableShape<BaselineRow> = { name: "baseline", schema: rowSchema, version: 1 };
