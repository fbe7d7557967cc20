import { label, plain } from "./text.ts";

/**
 * How much of a customer a message may show: nothing, `a•••@example.com`, or everything. The sequence is from least to most,
 * because `/store settings` compares the positions.
 */
export const privacies = ["none", "masked", "full"] as const;
export type Privacy = (typeof privacies)[number];

/** The customer of an order. Each field may be empty. */
export interface Customer {
  readonly email: string;
  readonly name: string;
}

/** Shows only the first letter. The length of the result does not show how many letters follow. */
const masked = (text: string) => {
  const first = label(text, 200, "").match(/^\P{M}\p{M}*/u)?.[0] ?? "";
  return `${first}•••`;
};

function maskedEmail(email: string): string {
  const at = email.lastIndexOf("@");
  if (at >= 0) return `${masked(email.slice(0, at))}${email.slice(at)}`;
  return email && masked(email);
}

/** Returns the customer's fields for a file: unchanged or masked, as `privacy` says. */
export function customerFields({ email, name }: Customer, privacy: Exclude<Privacy, "none">): Customer {
  return privacy === "full" ? { email, name } : { email: maskedEmail(email), name: name && masked(name) };
}

function maskedCustomer({ email, name }: Customer): string | undefined {
  if (email.includes("@")) return maskedEmail(email);
  const known = email || name;
  return known ? masked(known) : undefined;
}

/** Shows the customer as far as `privacy` allows, safe in a text display; undefined if nothing may be shown. */
export function customerLine(customer: Customer, privacy: Privacy, max = 200): string | undefined {
  if (privacy === "none") return undefined;
  const text =
    privacy === "masked"
      ? maskedCustomer(customer)
      : [customer.name, customer.email].filter((part) => label(part, 10, "") !== "").join(" · ");
  return text === undefined ? undefined : plain(text, max, "") || undefined;
}
