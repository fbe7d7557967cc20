import type { Rule } from "../../src/guilds/rule.ts";
import { hiddenMarksIn } from "../../src/views/alerts/hidden-mark.ts";
import { ready } from "./alert-lives.ts";
import { type AlertWorld, guildId, idsOf, type Life, pollFor, timesPosted } from "./alert-world.ts";

export const keysChannel = "2000000000000000003";
export const feedChannel = "2000000000000000004";

export const rule = (given: Partial<Rule>): Rule => ({
  id: given.id ?? given.name ?? "rule",
  name: "rule",
  channelId: keysChannel,
  style: "staff",
  ...given,
});
export const feed = (given: Partial<Rule>): Rule =>
  rule({ id: "feed", style: "feed", channelId: feedChannel, ...given });

export const setRoutes = (life: Life, ...routes: Rule[]) =>
  life.alerts.changeRules(guildId, life.connected, () => routes);

/** Texts of the messages in a channel, without what nobody sees. */
export const textsIn = ({ channel }: AlertWorld, place: string) =>
  channel.messages.flatMap(({ place: where, payload }) =>
    where === place && "content" in payload ? [payload.content] : [],
  );
/** How many orders rules have sent to a channel, beside alerts. */
export const linesIn = (world: AlertWorld, place: string) =>
  textsIn(world, place).reduce((sum, text) => sum + hiddenMarksIn(text).length, 0);
export const repliesIn = ({ channel }: AlertWorld) => channel.messages.filter(({ replyTo }) => replyTo !== undefined);

/** A world where alerts are on for these statuses, with these rules, and what tests do in it again and again. */
export async function begin(
  { statuses = ["PENDING"], roleId }: { statuses?: string[]; roleId?: string },
  ...routes: Rule[]
) {
  const { world, life } = await ready({ statuses, ...(roleId && { roleId }) });
  await setRoutes(life, ...routes);
  await life.alerts.idle();
  world.pass(1_000);
  const poll = (minutes: number) => pollFor(world, life, minutes * 60_000);
  return {
    world,
    life,
    poll,
    /** Places orders, and polls for a minute. Returns their ids. */
    async place(count = 1): Promise<string[]> {
      const ids = idsOf(world.store.place(count));
      await poll(1);
      return ids;
    },
    /** Gives these orders another status, and polls for this many minutes. */
    async move(ids: readonly string[], status: string, minutes = 2): Promise<void> {
      for (const id of ids) setStatus(world, id, status);
      await poll(minutes);
    },
    /** How often each of these orders is in the alerts of this channel. */
    alertsOf: (ids: readonly string[], place?: string) => timesPosted(world.channel, ids, place),
    linesIn: (place: string) => linesIn(world, place),
    replies: () => repliesIn(world),
  };
}

export function setStatus(world: AlertWorld, id: string, status: string) {
  const index = world.store.orders.findIndex((order) => order.id === id);
  const [order] = world.store.orders.splice(index, 1);
  if (order) world.store.orders.splice(index, 0, { ...order, status });
}
