import type { Locale } from "../../basics/locale.ts";
import type { Texts } from "../../locales/shape.ts";
import { texts } from "../../locales/texts.ts";

/** What the bot needs in the channel of alerts. */
export type NeededPermission = Exclude<keyof Texts["permissions"], "MentionEveryone">;

/** Their names as Discord's settings show them to this reader. */
export function permissionNames(missing: readonly NeededPermission[], locale: Locale): string[] {
  return missing.map((permission) => texts(locale).permissions[permission]);
}
