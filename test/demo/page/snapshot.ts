import { type Demo, inLanguage } from "../start-demo.ts";
import { type TroubleName, type Troubles, troubleNames } from "./troubles.ts";

/** A store may have thousands of rows. */
const shownRows = 60;
const pollPath = "/open-api/checkout/order";

/** Nothing of this changes. */
export function serverSnapshot({ guild, discord, store, language }: Demo) {
  return {
    id: guild.id,
    name: guild.name,
    botId: discord.botUserId,
    language: inLanguage[language()].locale,
    storeHost: new URL(store.url).host,
    roles: guild.roles.filter(({ id, managed }) => id !== guild.id && !managed).map(({ id, name }) => ({ id, name })),
    people: guild.members
      .filter(({ user }) => user.id !== discord.botUserId)
      .map(({ user }) => ({ id: user.id, name: user.username })),
  };
}

/** With the commands that each person is offered in each channel. */
export function channelsSnapshot({ guild, discord, backstage }: Demo) {
  const channels = guild.channels.filter(({ id, deleted }) => !deleted && id !== backstage);
  return {
    channels: channels.map(({ id, name, type }) => ({ id, name, type })),
    commands: discord.commands(guild.id).concat(discord.commands()),
    offered: Object.fromEntries(
      guild.members.map(({ user }) => [
        user.id,
        Object.fromEntries(
          channels.map(({ id }) => [id, discord.offered(user.id, guild.id, id).map(({ name }) => name)]),
        ),
      ]),
    ),
  };
}

/** Newest first. */
export function storeSnapshot({ store, language }: Demo) {
  return {
    token: store.token,
    currency: inLanguage[language()].currency,
    orderCount: store.orders.length,
    orders: store.orders
      .slice(-shownRows)
      .reverse()
      .map(({ id, status, items, pricing, paymentMethod, createdAt }) => ({
        id,
        status,
        total: pricing.total,
        paymentMethod,
        createdAt,
        items: items.map(({ quantity, productTitle }) => `${quantity} × ${productTitle}`).join(", "),
      })),
    productCount: store.products.length,
    products: store.products
      .slice(-shownRows)
      .reverse()
      .map(({ id, info, pricing, submitted }) => ({
        id,
        title: info.title,
        price: pricing.price,
        stockLines: submitted?.inventory.content?.split("\n").filter(Boolean).length,
      })),
  };
}

/** As seen from outside. */
export function statusSnapshot(demo: Demo, troubles: Troubles) {
  const lastRead = demo.store.requests.findLast(({ path, method }) => method === "GET" && path === pollPath);
  // Before alerts are on the bot does not poll, and an earlier poll would look late.
  const lastPoll = demo.isSetUp() ? lastRead : undefined;
  return {
    bot: demo.botState(),
    pollIntervalMs: demo.pollIntervalMs,
    lastPollAt: lastPoll?.at,
    lastPollStatus: lastPoll?.status,
    owed: demo.owed(),
    isConnected: demo.isConnected(),
    isSetUp: demo.isSetUp(),
    troubles: Object.fromEntries(troubleNames.map((name) => [name, troubles.isOn(name)])) as Record<
      TroubleName,
      boolean
    >,
  };
}
