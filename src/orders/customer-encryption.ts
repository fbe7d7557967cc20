import { z } from "zod";
import type { Vault } from "../guilds/vault.ts";
import type { Customer } from "../views/parts/masked-customer.ts";

const customerSchema = z.object({ email: z.string(), name: z.string() });

interface Sealing {
  readonly vault: Pick<Vault, "seal" | "open">;
  readonly guildId: string;
}

const boundTo = ({ guildId }: Sealing, orderId: string) => `${guildId} ${orderId}`;

/** The encrypted text can be decrypted only with the ids of the same server and order. */
export function encryptCustomer(by: Sealing, customer: Customer, orderId: string): string {
  return by.vault.seal(JSON.stringify(customer), boundTo(by, orderId), "customer");
}

/** Undefined if the text cannot be decrypted: an alert without its customer is better than no alert. */
export function decryptCustomer(by: Sealing, sealed: string, orderId: string): Customer | undefined {
  try {
    return customerSchema.parse(JSON.parse(by.vault.open(sealed, boundTo(by, orderId), "customer")));
  } catch {
    return undefined;
  }
}
