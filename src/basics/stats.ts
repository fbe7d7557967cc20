import { z } from "zod";
import type { CalendarDay } from "./zones.ts";

/** A number in units of 10^-8, as decimal digits (`exact-amounts.ts`). */
const exactSchema = z.string().regex(/^-?\d{1,40}$/);
/**
 * One line of the sums: the name of a status or a payment method, the number of its orders, and their amount. The line whose
 * name is "" has the sums of all names that have no line.
 */
const lineSchema = z.object({ name: z.string(), count: z.number(), amount: exactSchema });
const productSchema = z.object({ title: z.string(), pieces: exactSchema });

/**
 * Sums of the orders of one or more days, without data of customers. One day usually takes 1.5 kB in the storage, and at most
 * 25 kB, because only the most frequent names have a line. Amounts and pieces are in units of 10^-8.
 */
export const sumsSchema = z.object({
  orders: z.number(),
  sold: z.object({ count: z.number(), amount: exactSchema }),
  statuses: z.array(lineSchema),
  methods: z.array(lineSchema),
  products: z.array(productSchema),
  /** Number of products that were sold and are not in `products`. */
  otherProducts: z.number(),
  /** Number of orders by the hour of the day, from 0 to 23. */
  hours: z.array(z.number()).length(24),
});
export type Sums = Readonly<z.infer<typeof sumsSchema>>;
export type SumsLine = Sums["statuses"][number];

/** A span of days, from the first to the last, both included. */
export interface Span {
  readonly from: CalendarDay;
  readonly to: CalendarDay;
}

/** Sums of a span of days, and of the span of the same length before it. */
export interface Stats {
  readonly span: Span;
  readonly before: Span;
  /** The sums of all days of the span together. */
  readonly sums: Sums;
  readonly sumsBefore: Sums;
  /** Each day of the span, and of the span before, the earliest first. */
  readonly days: readonly (readonly [CalendarDay, Sums])[];
  readonly daysBefore: readonly (readonly [CalendarDay, Sums])[];
  /**
   * When the bot began to read the sums that were read first, epoch ms. Sums of days that are final (reports/stored-sums.ts) count
   * only if all days are final.
   */
  readonly readAt: number;
  /** False if some orders may be missing. */
  readonly isWhole: boolean;
  /** IANA name of the time zone. */
  readonly zone: string;
  /** The day of `span` that was not over when its sums were read, if there is one. */
  readonly openDay: CalendarDay | undefined;
}
