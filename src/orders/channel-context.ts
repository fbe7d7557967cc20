import type { Guild } from "../guilds/guild.ts";
import type { ViewContext } from "../views/parts/context.ts";

export const channelContext = ({ settings }: Guild): ViewContext => ({ ...settings, locale: settings.language });
