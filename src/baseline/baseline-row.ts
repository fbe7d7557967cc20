import { z } from "zod";
import { baselineSchema } from "../orders/baseline-rules.ts";
import type { TableShape } from "../storage/table.ts";

const foundSchema = z.object({
  /** Pairs of an order id and a status, some 30 kB for a list. */
  orders: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
  /** The following fields are arguments of `takeAsSeen`. */
  alerting: z.array(z.string()).readonly(),
  awaited: z.array(z.string()).readonly(),
  all: z.boolean(),
});

/** Orders that a command found in the store's lists, and how they are treated as seen. */
export type Found = Readonly<z.infer<typeof foundSchema>>;

const rowSchema = z.object({
  reading: baselineSchema,
  /** Orders that the next poll treats as seen before it reads anything else. */
  pending: z
    .object({
      found: z.array(foundSchema).readonly(),
      /** Set if the server has another store now. Then the rows of the former store have to be removed first. */
      isOtherStore: z.literal(true).optional(),
    })
    .readonly()
    .optional(),
});

/** The baseline of one server. */
export type BaselineRow = Readonly<z.infer<typeof rowSchema>>;

/**
 * Baselines by server id, while alerts are on. Commands commit a row with the server's record, and the process that polls
 * continues it. Each of them writes only if the row is unchanged.
 * A malformed row is an error until alerts are turned off, which deletes the row. If it counted as missing or done, old orders
 * would be alerted.
 */
export const baselineTable: TableShape<BaselineRow> = { name: "baseline", schema: rowSchema, version: 1 };
