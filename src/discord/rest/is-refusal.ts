import { DiscordAPIError } from "@discordjs/rest";

/** An answer without the field `message` comes from a proxy in between. */
export const isRefusal = (error: unknown): error is DiscordAPIError =>
  error instanceof DiscordAPIError && "message" in error.rawError;
