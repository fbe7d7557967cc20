import { z } from "zod";
import type { TableShape } from "../storage/table.ts";
import { baselineSchema } from "./baseline-rules.ts";

const foundSchema = z.object({
  /** Usually at most 500 order ids and statuses for each list (30 kB). */
  orders: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
  /** The following fields are arguments of `takeAsSeen`. */
  alerting: z.array(z.string()).readonly(),
  awaited: z.array(z.string()).readonly(),
  all: z.boolean(),
});

/** Orders that a command found in the store's lists, with the other arguments of `takeAsSeen` for them. */
export type Found = Readonly<z.infer<typeof foundSchema>>;

const rowSchema = z.object({
  reading: baselineSchema,
  pending: z
    .object({
      found: z.array(foundSchema).readonly(),
      /** Unpaid orders, as in `BaselineState`. A closed row of such an order becomes `noticed`, so payment causes an alert. */
      unpaid: z.array(z.string()).readonly().optional(),
      /** Before these orders are treated as seen, the rows of the former store have to be removed. */
      isOtherStore: z.literal(true).optional(),
    })
    .readonly()
    .optional(),
});

export type BaselineRow = Readonly<z.infer<typeof rowSchema>>;

/**
 * Keys are server ids. A command writes the row together with the server's record. The process that polls then reads the rest
 * of the lists. Both write the row only if it is unchanged. The read of a malformed row throws: if the row counted as missing,
 * old orders would be alerted. Turning alerts off deletes the row.
 */
export const baselineTable: TableShape<BaselineRow> = { name: "baseline", schema: rowSchema, version: 1 };
