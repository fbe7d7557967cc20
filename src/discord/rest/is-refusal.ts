import { DiscordAPIError } from "@discordjs/rest";

/** Whether Discord itself refused the request. An answer without the field `message` comes from a proxy in between. */
export const isRefusal = (error: unknown): error is DiscordAPIError =>
  error instanceof DiscordAPIError && "message" in error.rawError;
