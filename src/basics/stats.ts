import { z } from "zod";
import type { CalendarDay } from "./zones.ts";

/** Units of 10^-8, as decimal digits (exact-amounts.ts). */
const exactSchema = z.string().regex(/^-?\d{1,40}$/);
/** In stored sums, the name of the line with the sums of all names that have no line. */
export const otherNames = "";
/** In stored sums, the name and title of everything that has neither. */
export const blankName = "?";
/** The orders of one status or payment method. */
const lineSchema = z.object({ name: z.string(), count: z.number(), amount: exactSchema });
const productSchema = z.object({ title: z.string(), pieces: exactSchema });

/**
 * Sums of the orders of one or more days, without data of customers. One day usually takes 1.5 kB in the storage, and at most
 * 25 kB, because only the most frequent names have a line.
 */
export const sumsSchema = z.object({
  orders: z.number(),
  sold: z.object({ count: z.number(), amount: exactSchema }),
  statuses: z.array(lineSchema),
  methods: z.array(lineSchema),
  products: z.array(productSchema),
  /** More than 0 if products were sold that are not in `products`. */
  otherProducts: z.number(),
  hours: z.array(z.number()).length(24),
});
export type Sums = Readonly<z.infer<typeof sumsSchema>>;
export type SumsLine = Sums["statuses"][number];

/** Both days included. */
export interface Span {
  readonly from: CalendarDay;
  readonly to: CalendarDay;
}

export interface Stats {
  readonly span: Span;
  readonly before: Span;
  readonly sums: Sums;
  readonly sumsBefore: Sums;
  /** The earliest day first. */
  readonly days: readonly (readonly [CalendarDay, Sums])[];
  readonly daysBefore: readonly (readonly [CalendarDay, Sums])[];
  /** When the read of the oldest sums began (epoch ms). Sums that cannot change any more count only if there are no others. */
  readonly readAt: number;
  /** False if some orders may be missing. */
  readonly isWhole: boolean;
  /** IANA name. */
  readonly zone: string;
  /** The day of `span` that was not over when its sums were read, if there is one. */
  readonly openDay: CalendarDay | undefined;
}
