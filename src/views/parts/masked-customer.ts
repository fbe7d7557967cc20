import type { Privacy } from "../../guilds/guild.ts";
import { label, plain } from "./text.ts";

/** Each field may be empty. */
export interface Customer {
  readonly email: string;
  readonly name: string;
}

/** The result does not show how long the text is. */
const masked = (text: string) => {
  const first = label(text, 200, "").match(/^\P{M}\p{M}*/u)?.[0] ?? "";
  return `${first}•••`;
};

function maskedEmail(email: string): string {
  const at = email.lastIndexOf("@");
  if (at >= 0) return `${masked(email.slice(0, at))}${email.slice(at)}`;
  return email && masked(email);
}

export function customerFields({ email, name }: Customer, privacy: Exclude<Privacy, "none">): Customer {
  return privacy === "full" ? { email, name } : { email: maskedEmail(email), name: name && masked(name) };
}

/** For choices, which have no markdown. Empty if there is nothing that may be shown. */
export function customerText(customer: Customer, privacy: Privacy): string {
  if (privacy === "none") return "";
  const { email, name } = customerFields(customer, privacy);
  return privacy === "masked" ? email || name : [name, email].filter((part) => label(part, 10, "") !== "").join(" · ");
}

/** Safe in a text display. Undefined if there is nothing that may be shown. */
export function customerLine(customer: Customer, privacy: Privacy, max = 200): string | undefined {
  return plain(customerText(customer, privacy), max, "") || undefined;
}
