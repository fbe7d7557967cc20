import type { Locale } from "../basics/locale.ts";
import { permissions } from "./catalogue/permissions.ts";

/** What the bot needs in the channel of alerts. */
export type NeededPermission = Exclude<keyof (typeof permissions)[Locale], "MentionEveryone">;

/** Their names as Discord's settings show them to this reader. */
export function permissionNames(missing: readonly NeededPermission[], locale: Locale): string[] {
  return missing.map((permission) => permissions[locale][permission]);
}
