import { ProblemError } from "../views/problem.ts";
import type { ChannelLook } from "./channel-look.ts";
import type { Caller } from "./define-command.ts";
import { isManager } from "./is-manager.ts";

/**
 * Only those with Manage Server decide that customers are shown where everybody can read; `isPublic` is undefined where
 * Discord does not say. Throws a `ProblemError`.
 */
export function assertMayShowCustomers(caller: Caller, isPublic: boolean | undefined) {
  if (isPublic === false || isManager(caller)) return;
  throw new ProblemError({ code: isPublic ? "public_not_theirs" : "discord_silent" });
}

/** Whether somebody may mention the role that was looked at; nobody mentions one that is not there any more. */
export const mayMention = (caller: Caller, role: ChannelLook["role"]): boolean =>
  role !== undefined && (role.isMentionable || role.isTheirs || isManager(caller));
