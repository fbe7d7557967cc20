import { z } from "zod";
import type { Vault } from "../guilds/vault.ts";
import type { Customer } from "../views/parts/masked-customer.ts";

const customerSchema = z.object({ email: z.string(), name: z.string() });

interface Sealing {
  readonly vault: Pick<Vault, "seal" | "open">;
  readonly guildId: string;
}

const boundTo = ({ guildId }: Sealing, orderId: string) => `${guildId} ${orderId}`;

/**
 * Encrypts the customer of an order while a message about it waits in the outbox. The text is bound to its order. Whether a
 * message may show the customer is decided by the privacy setting (alert-order.ts).
 */
export function encryptCustomer(by: Sealing, customer: Customer, orderId: string): string {
  return by.vault.seal(JSON.stringify(customer), boundTo(by, orderId), "customer");
}

/** Returns undefined if no key decrypts the text. An alert without its customer is better than no alert. */
export function decryptCustomer(by: Sealing, sealed: string, orderId: string): Customer | undefined {
  try {
    return customerSchema.parse(JSON.parse(by.vault.open(sealed, boundTo(by, orderId), "customer")));
  } catch {
    return undefined;
  }
}
