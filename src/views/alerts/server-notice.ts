import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import { type Notice, post } from "../parts/notice.ts";
import type { PostPayload } from "../parts/payload.ts";
import { plain } from "../parts/text.ts";

/** What the alert path tells a server's people by itself. Times are epoch ms. */
export type ServerNotice =
  | { readonly about: "alerts_on"; readonly pending: number; readonly complete: boolean }
  | { readonly about: "alerts_moved" }
  | { readonly about: "store_down"; readonly since: number }
  | { readonly about: "store_back"; readonly since: number; readonly arrived: number }
  | { readonly about: "token_refused" | "key_lost"; readonly since: number }
  | {
      readonly about: "channel_gone" | "forbidden" | "digest_channel_gone" | "digest_forbidden";
      readonly server: string;
      readonly channelId: string;
    }
  | {
      readonly about: "route_channel_gone" | "route_forbidden";
      readonly server: string;
      readonly rule: string;
      readonly style: "staff" | "feed";
      readonly channelId: string;
    };

function worded(what: ServerNotice, locale: Locale): Notice {
  const say = texts(locale).notices;
  switch (what.about) {
    case "alerts_on": {
      const count = what.pending.toLocaleString(locale);
      return { tone: "ok", body: say.alertsOn(what.complete ? count : say.atLeast(count)) };
    }
    case "alerts_moved":
      return { tone: "ok", body: say.alertsMoved };
    case "store_down":
      return { tone: "warn", body: say.storeDown(`<t:${Math.floor(what.since / 1000)}:t>`) };
    case "store_back":
      return { tone: "ok", body: say.storeBack(what.arrived) };
    case "token_refused":
      return { tone: "error", body: say.tokenRefused };
    case "key_lost":
      return { tone: "error", body: say.keyLost };
    case "channel_gone":
      return { tone: "error", body: say.channelLost(plain(what.server, 100), `<#${what.channelId}>`) };
    case "forbidden":
      return { tone: "error", body: say.channelForbidden(plain(what.server, 100), `<#${what.channelId}>`) };
    case "digest_channel_gone":
      return { tone: "error", body: say.digestChannelLost(plain(what.server, 100), `<#${what.channelId}>`) };
    case "digest_forbidden":
      return { tone: "error", body: say.digestForbidden(plain(what.server, 100), `<#${what.channelId}>`) };
    case "route_channel_gone":
    case "route_forbidden": {
      const { lost, forbidden, meanwhile } = say.route;
      const where = [plain(what.rule, 40), plain(what.server, 100), `<#${what.channelId}>`] as const;
      const body = what.about === "route_forbidden" ? forbidden(...where) : lost(...where);
      return { tone: "error", body: `${body} ${meanwhile[what.style]}` };
    }
  }
}

/** One of these notices as a message whose first line a locked phone shows. */
export function serverNotice(what: ServerNotice, locale: Locale): PostPayload {
  return post(worded(what, locale));
}
