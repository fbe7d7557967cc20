import { z } from "zod";
import type { Vault } from "../guilds/vault.ts";
import type { Customer } from "../views/parts/masked-customer.ts";
import type { Ledger } from "./ledger.ts";

const customerSchema = z.object({ email: z.string(), name: z.string() });

/**
 * Encrypts the customers of one server's orders while their messages wait in the outbox. Each encrypted text is bound to its
 * order. Whether a message may show the customer is decided by the privacy setting (alert-order.ts), and how by
 * views/parts/masked-customer.ts.
 */
export class CustomerSeal {
  private readonly vault: Pick<Vault, "seal" | "open" | "isCurrent">;
  private readonly guildId: string;
  private isRenewed = false;

  constructor(vault: CustomerSeal["vault"], guildId: string) {
    this.vault = vault;
    this.guildId = guildId;
  }

  private boundTo(orderId: string) {
    return `${this.guildId} ${orderId}`;
  }

  seal(customer: Customer, orderId: string): string {
    return this.vault.seal(JSON.stringify(customer), this.boundTo(orderId), "customer");
  }

  /** Returns undefined if no key decrypts the text. An alert without its customer is better than no alert. */
  open(sealed: string, orderId: string): Customer | undefined {
    try {
      return customerSchema.parse(JSON.parse(this.vault.open(sealed, this.boundTo(orderId), "customer")));
    } catch {
      return undefined;
    }
  }

  /** Encrypts customers again if an older key encrypted them. Does this once, until `forget` is called. Throws `StorageError`. */
  async renew(ledger: Ledger): Promise<void> {
    if (this.isRenewed) return;
    const isOld = (sealed: string | undefined) => sealed !== undefined && !this.vault.isCurrent(sealed);
    if ([...(await ledger.outbox()).values()].some((row) => "customer" in row && isOld(row.customer))) {
      await ledger.write([], (_, outbox) =>
        [...outbox.values()].flatMap((row) => {
          if (!("customer" in row) || row.customer === undefined || !isOld(row.customer)) return [];
          const [orderId = ""] = row.kind === "alert" ? [row.orderId] : row.orderIds;
          const customer = this.open(row.customer, orderId);
          return customer ? [{ put: [{ ...row, customer: this.seal(customer, orderId) }] }] : [];
        }),
      );
    }
    this.isRenewed = true;
  }

  /** Lets `renew` check the outbox again, because another process may have written to it. */
  forget() {
    this.isRenewed = false;
  }
}
