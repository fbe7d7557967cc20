import { ruleNameMax } from "../../basics/limits/limits-in-texts.ts";
import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import { classicMessage, type Notice, post } from "../parts/notice.ts";
import { formatNumber } from "../parts/numbers.ts";
import type { PostPayload } from "../parts/payload.ts";
import { plain } from "../parts/text.ts";

/** Notices: messages that the bot sends about itself to the alert channel or the server's owner. Times are epoch ms. */
export type ServerNotice =
  | { readonly about: "alerts_on"; readonly pending: number; readonly complete: boolean }
  | { readonly about: "alerts_moved" }
  | { readonly about: "store_back"; readonly arrived: number }
  | { readonly about: "store_down" | "token_refused" | "key_lost"; readonly since: number }
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

/** A line about the orders that were in the store before alerts were on. They get no alert. `complete`: all were counted. */
export function earlierOrders(
  found: { readonly pending: number; readonly complete: boolean },
  locale: Locale,
): string[] {
  const { pending, complete } = found;
  if (pending === 0) return [];
  return [texts(locale).notices.earlierOrders(pending, `${formatNumber(pending, locale)}${complete ? "" : "+"}`)];
}

function worded(what: ServerNotice, locale: Locale): Notice {
  const say = texts(locale).notices;
  const error = (body: string): Notice => ({ tone: "error", body });
  const where: [server: string, channel: string] =
    "server" in what ? [plain(what.server, 100), `<#${what.channelId}>`] : ["", ""];
  switch (what.about) {
    case "alerts_on":
      return { tone: "ok", body: [say.alertsHere, ...earlierOrders(what, locale)].join(" ") };
    case "alerts_moved":
      return { tone: "ok", body: say.alertsHere };
    case "store_down":
      return { tone: "warn", body: say.storeDown(`<t:${Math.floor(what.since / 1000)}:t>`) };
    case "store_back":
      return { tone: "ok", body: say.storeBack(what.arrived) };
    case "token_refused":
      return error(say.tokenRefused);
    case "key_lost":
      return error(say.keyLost);
    case "channel_gone":
      return error(say.channelLost(...where));
    case "forbidden":
      return error(say.channelForbidden(...where));
    case "digest_channel_gone":
      return error(say.digestChannelLost(...where));
    case "digest_forbidden":
      return error(say.digestForbidden(...where));
    case "route_channel_gone":
    case "route_forbidden": {
      const { lost, forbidden, meanwhile, linesLost } = say.route;
      const isLost = what.about === "route_channel_gone";
      const words = isLost ? lost : forbidden;
      const next = isLost && what.style === "feed" ? linesLost : meanwhile[what.style];
      return error(`${words(plain(what.rule, ruleNameMax), ...where)} ${next}`);
    }
  }
}

/** For the owner if there is a `serverName`, otherwise for a channel. */
export function greetingPost(locale: Locale, serverName?: string): PostPayload {
  const { inServer, toOwner, nextStep } = texts(locale).greeting;
  const hello = serverName === undefined ? `**${inServer}**` : toOwner(plain(serverName, 100));
  return classicMessage(`🔔 ${hello}\n${nextStep}`);
}

export function serverNotice(what: ServerNotice, locale: Locale): PostPayload {
  return post(worded(what, locale));
}
