import { z } from "zod";
import { baselineSchema } from "../orders/baseline.ts";
import type { TableShape } from "../storage/table.ts";

const foundSchema = z.object({
  /** Each with the status that it had: some 30 kB for a list. */
  orders: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
  /** What `takeAsSeen` takes them for. */
  alerting: z.array(z.string()).readonly(),
  awaited: z.array(z.string()).readonly(),
  all: z.boolean(),
});

/** What a command found in the store's lists. */
export type Found = Readonly<z.infer<typeof foundSchema>>;

const rowSchema = z.object({
  /** How far the reading of what was there before has come. */
  reading: baselineSchema,
  /** What is to be taken as seen before anything else is read. */
  pending: z
    .object({
      found: z.array(foundSchema).readonly(),
      /** The store is another one: what is recorded of the one before is to be forgotten first. */
      isOtherStore: z.literal(true).optional(),
    })
    .readonly()
    .optional(),
});

/** What was there before alerts began in one server. */
export type BaselineRow = Readonly<z.infer<typeof rowSchema>>;

/**
 * By the ids of servers, while their alerts are on. Commands write it with the server's record, all or nothing, and the process that
 * polls goes on from there; each expects it as it was read. A malformed one is a failure, and turning alerts off deletes it: taken
 * for none, or for one that is done, it would let what was there before be alerted.
 */
export const baselineTable: TableShape<BaselineRow> = { name: "baseline", schema: rowSchema, version: 1 };
