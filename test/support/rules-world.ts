import type { Rule } from "../../src/guilds/rule.ts";
import { hiddenMarksIn } from "../../src/views/alerts/hidden-mark.ts";
import { type AlertWorld, createAlertWorld, guildId, type Life } from "./alert-world.ts";

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

export const setRoutes = (world: AlertWorld, life: Life, ...routes: Rule[]) =>
  life.alerts.changeRules(guildId, world.store, () => routes);

/** Texts of the messages in a channel, without what nobody sees. */
export const textsIn = ({ channel }: AlertWorld, place: string) =>
  channel.messages.flatMap(({ place: where, payload }) =>
    where === place && "content" in payload ? [payload.content] : [],
  );
/** How many orders rules have sent to a channel, beside alerts. */
export const linesIn = (world: AlertWorld, place: string) =>
  textsIn(world, place).reduce((sum, text) => sum + hiddenMarksIn(text).length, 0);
export const repliesIn = ({ channel }: AlertWorld) => channel.messages.filter(({ replyTo }) => replyTo !== undefined);

/** Alerts are on for these statuses, with these rules. */
export async function begin({ statuses = ["PENDING"] }: { statuses?: string[] }, ...routes: Rule[]) {
  const world = await createAlertWorld();
  const life = world.start();
  await world.turnOn(life, { statuses });
  await setRoutes(world, life, ...routes);
  await life.alerts.idle();
  world.pass(1_000);
  return { world, life };
}

export function setStatus(world: AlertWorld, id: string, status: string) {
  const index = world.store.orders.findIndex((order) => order.id === id);
  const [order] = world.store.orders.splice(index, 1);
  if (order) world.store.orders.splice(index, 0, { ...order, status });
}
