import type { Guild } from "../../guilds/guild.ts";
import { bare } from "../../orders/alert-order.ts";
import { channelContext } from "../../orders/channel-context.ts";
import { alertKey } from "../../orders/outbox-row.ts";
import { alertBatchSize } from "../../views/alerts/alert-message.ts";
import { fallbackNote } from "../../views/alerts/alert-notes.ts";
import { hiddenMark } from "../../views/alerts/hidden-mark.ts";
import { feedBatchSize, feedMessage, ruleMessage } from "../../views/alerts/rule-messages.ts";
import { workingDestination } from "../destination.ts";
import type { MessageKind } from "../kind.ts";

const ruleOf = ({ routes = [] }: Guild, id: string) => routes.find((rule) => rule.id === id);

export const ruleKind: MessageKind<"rule"> = {
  lane: "alert",
  logText: "messages of a rule posted",
  rank: 1,
  orderIds: () => [],
  target: ({ route }, guild, channels) => ruleOf(guild, route) && workingDestination(guild, route, channels),
  most: ({ route }, guild) => (ruleOf(guild, route)?.style === "feed" ? feedBatchSize : alertBatchSize),
  dueInMs: ({ route, facts }, { guild }, outbox) =>
    ruleOf(guild, route)?.style === "staff" && outbox.has(alertKey(facts.id)) ? Number.POSITIVE_INFINITY : 0,
  marks: ({ route, facts }, guildId) => [hiddenMark([guildId, route, facts.id])],
  marksOf: ({ marks }) => marks,
  render(rows, { guild, target }, isBare) {
    const ctx = channelContext(guild);
    const rule = ruleOf(guild, rows[0]?.route ?? "");
    const shown = rows.map(({ route: id, facts }) => ({
      order: isBare ? bare(facts) : facts,
      mark: hiddenMark([guild.id, id, facts.id]),
    }));
    if (rule?.style === "staff") {
      const notes = target.fallbackFor ? [fallbackNote(target.fallbackFor, ctx)] : [];
      return ruleMessage(shown, { name: rule.name, roleId: target.roleId }, ctx, notes);
    }
    const lines = shown.map((line) => ({ ...line, showsAmount: rule?.showsAmount === true }));
    return feedMessage(lines, ctx, target.roleId);
  },
};
