import type { Guild } from "../guilds/guild.ts";
import type { ViewContext } from "../views/parts/context.ts";

/** Returns language, currency and privacy for messages in the server's channels. */
export const channelContext = ({ settings }: Guild): ViewContext => ({ ...settings, locale: settings.language });
