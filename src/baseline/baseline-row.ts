import { z } from "zod";
import type { TableShape } from "../storage/table.ts";
import { baselineSchema } from "./baseline-rules.ts";

const foundSchema = z.object({
  /** Pairs of an order id and a status: up to some 30 kB for each list. */
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
 * The baselines of servers with alerts, by server id. A command writes the row together with the server's record, and the
 * process that polls continues the reading. Both write only if the row is unchanged since they read it.
 * The read of a malformed row throws, because old orders would be alerted if the row counted as missing. The row is deleted
 * when alerts are turned off.
 */
export const baselineTable: TableShape<BaselineRow> = { name: "baseline", schema: rowSchema, version: 1 };
