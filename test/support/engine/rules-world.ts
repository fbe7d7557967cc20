import type { Rule } from "../../../src/guilds/rule.ts";
import { hiddenMarksIn } from "../../../src/views/alerts/hidden-mark.ts";
import { ready } from "./alert-lives.ts";
import { type AlertWorld, guildId, type Life } from "./alert-world.ts";

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

export const textsIn = ({ channel }: AlertWorld, place: string) =>
  channel.messages.flatMap(({ place: where, payload }) =>
    where === place && "content" in payload ? [payload.content] : [],
  );
/** Number of orders that rules have posted in a channel. Alerts do not count. */
export const linesIn = (world: AlertWorld, place: string) =>
  textsIn(world, place).reduce((sum, text) => sum + hiddenMarksIn(text).length, 0);

export async function begin(settings: { statuses?: string[]; roleId?: string }, ...routes: Rule[]) {
  const scene = await ready(settings);
  const { world, life } = scene;
  await setRoutes(life, ...routes);
  await life.alerts.idle();
  world.pass(1_000);
  return { ...scene, linesIn: (place: string) => linesIn(world, place) };
}
