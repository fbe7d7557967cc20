import { z } from "zod";
import type { Vault } from "../guilds/vault.ts";
import type { TableShape } from "../storage/table.ts";
import { parseTime } from "../store-api/orders.ts";

const customerSchema = z.object({ email: z.string(), name: z.string() });

/** An order as its alert shows it; without the customer. */
export const orderSchema = z.object({
  id: z.string(),
  status: z.string(),
  items: z.array(z.object({ title: z.string(), quantity: z.number() })),
  total: z.number(),
  paymentMethod: z.string(),
  /** Epoch ms; 0.1.0 kept the text that the store sent. */
  createdAt: z.union([z.number(), z.string().transform(parseTime)]).optional(),
  changedAt: z.number().optional(),
});

/** It is of a store that was connected before: it is dealt with all the same, but the store is not known by it. */
const isFormer = z.literal(true).optional();

/** Id of the rule by which the alert goes; none for the alerts' own channel. */
const route = z.string().optional();

/** Why no alert is due for an order: it was there before alerts were turned on. */
const seenSchema = z.object({ state: z.literal("seen"), isFormer });

/** An alert that has to be sent. Recorded before anything is sent. */
const owedSchema = z.object({
  state: z.literal("owed"),
  /** Only 0.1.0 kept a customer in it. What is none is left out: the order has to ring all the same. */
  order: orderSchema.extend({ customer: customerSchema.optional().catch(undefined) }),
  /** The customer, where the alert shows one; encrypted. */
  sealedCustomer: z.string().optional().catch(undefined),
  /** Every channel to which it may have been sent: where a send that a crash cut short may have ended up. */
  channelIds: z.array(z.string()),
  /** Ids of all orders of the message in which it was last sent, if that had several: sent again, it is the same message. */
  batch: z.array(z.string()).optional(),
  /** Epoch ms. */
  foundAt: z.number(),
  /** Since when it may stand in one of those channels although it was found later: the storage was restored. Epoch ms. */
  sentSince: z.number().optional(),
  route,
  /** No rule is named because the category of a product was not known. */
  isUnsure: z.literal(true).optional(),
  isFormer,
});

/** An alert that stands in a channel: followed while it is posted, left alone once it is settled. */
const postedSchema = z.object({
  state: z.enum(["posted", "settled"]),
  order: orderSchema,
  channelId: z.string(),
  messageId: z.string(),
  /** Ids of all orders in that message, in its order. */
  batch: z.array(z.string()),
  foundAt: z.number(),
  /** Absent for a message in Components V2, as 0.1.0 posted it. */
  isClassic: z.literal(true).optional(),
  /** The ring for the payment: about to be sent (it may stand in the channel already), or sent. */
  paid: z.enum(["noted", "rung"]).optional(),
  /** The reply that says that it was paid back: likewise. */
  refunded: z.enum(["noted", "rung"]).optional(),
  /** While one of these is noted: the channel in which it may stand. */
  rungIn: z.string().optional(),
  route,
  isFormer,
});

const storedSchema = z.discriminatedUnion("state", [seenSchema, owedSchema, postedSchema]);

/** As it is stored: the customer of an owed order is sealed, or, where 0.1.0 kept it, in plain text. */
export type StoredEntry = z.infer<typeof storedSchema>;

/**
 * A server's entries, by the ids of orders. What is malformed still says that the order was dealt with: it must not ring,
 * and no other order may wait for it.
 */
export const entriesTable: TableShape<StoredEntry> = {
  name: "ledger",
  schema: storedSchema.catch(() => ({ state: "seen" as const })),
  version: 1,
};

type Seen = z.infer<typeof seenSchema>;
export type OwedEntry = Readonly<Omit<z.infer<typeof owedSchema>, "sealedCustomer">>;
export type PostedEntry = Readonly<z.infer<typeof postedSchema>>;
export type LedgerEntry = Readonly<Seen> | OwedEntry | PostedEntry;

/** Seals and opens customers. */
export type CustomerSeal = Pick<Vault, "seal" | "open" | "isCurrent">;

/** One server's entries as they are stored: a customer is in owed ones only, and encrypted. */
export interface EntryForm {
  read(stored: StoredEntry): LedgerEntry;
  /** What is to be stored for an entry. */
  write(entry: LedgerEntry): StoredEntry;
  /** The owed entry, if its customer is to be sealed anew: 0.1.0 or an older key kept it. One that no key opens stays. */
  toReseal(stored: StoredEntry): OwedEntry | undefined;
}

export function createEntryForm(seal: CustomerSeal, guildId: string): EntryForm {
  const boundTo = (orderId: string) => `${guildId} ${orderId}`;

  function customerIn(sealed: string, orderId: string) {
    try {
      return customerSchema.parse(JSON.parse(seal.open(sealed, boundTo(orderId), "customer")));
    } catch {
      // The key is lost: an alert without its customer is better than none.
      return undefined;
    }
  }

  function opened({ sealedCustomer, ...entry }: z.infer<typeof owedSchema>): OwedEntry {
    const { id } = entry.order;
    const customer = sealedCustomer === undefined ? undefined : customerIn(sealedCustomer, id);
    return customer ? { ...entry, order: { ...entry.order, customer } } : entry;
  }

  return {
    read: (stored) => (stored.state === "owed" ? opened(stored) : stored),
    write(entry) {
      if (entry.state === "seen") return entry;
      // Whoever made the entry may have copied it from an owed one.
      const { customer, ...order } = entry.order as OwedEntry["order"];
      if (entry.state !== "owed" || customer === undefined) return { ...entry, order };
      const sealedCustomer = seal.seal(JSON.stringify(customer), boundTo(order.id), "customer");
      return { ...entry, order, sealedCustomer };
    },
    toReseal(entry) {
      if (entry.state !== "owed") return undefined;
      const isOld = entry.sealedCustomer !== undefined && !seal.isCurrent(entry.sealedCustomer);
      if (!isOld && entry.order.customer === undefined) return undefined;
      const whole = opened(entry);
      return whole.order.customer === undefined ? undefined : whole;
    },
  };
}
