import { plural } from "./plural.ts";

/** Texts of alert messages. settings.ts has the answers of `/alerts`. */
export const alerts = {
  newOrder: "New order",
  newOrders: (count: number) => plural(count, { one: "1 new order", other: `${count} new orders` }),
  paidOrder: "Paid order",
  paidOrders: (count: number) => plural(count, { one: "1 paid order", other: `${count} paid orders` }),
  /** How many of the new orders are paid. */
  paidAmongNew: (count: number) => `${count} paid`,
  refundedOrders: (count: number) => plural(count, { one: "1 refunded order", other: `${count} refunded orders` }),
  bare: "Discord does not accept the texts of this order here. **Open** shows them.",
  sample: "This is a sample: nobody bought anything. A real alert looks like this.",
};

/** Notices that Shopbell sends by itself, in the alert channel or to the server's owner. */
export const notices = {
  alertsHere: "Order alerts come to this channel from now on.",
  /** `shown` is the formatted count, with a plus if there may be more. */
  earlierOrders: (count: number, shown: string) =>
    plural(count, {
      one: `**${shown}** earlier order gets no alert.`,
      other: `**${shown}** earlier orders get no alert.`,
    }),
  storeDown: (since: string) =>
    `The store has given no usable answer since ${since}. New orders cannot be seen until it does. None is lost: all of them are announced then. **/store status** shows the cause.`,
  storeBack: (count: number) =>
    plural(count, {
      one: "The store is answering again. 1 order arrived meanwhile.",
      other: `The store is answering again. ${count} orders arrived meanwhile.`,
    }),
  tokenRefused:
    "The store refuses the API token, so new orders cannot be seen. No order is lost: the bot keeps trying, and announces what arrived meanwhile as soon as a token is accepted. If this goes on, create a new token in the store's administration panel (Settings, then Open API) and enter it with **/store connect**.",
  keyLost:
    "The saved API token can no longer be read, because the bot's encryption key has changed, so new orders cannot be seen. Enter the token again with **/store connect**. No order is lost: those that arrive meanwhile are announced then.",
  channelLost: (server: string, channel: string) =>
    `Order alerts for the server **${server}** cannot be posted in ${channel}: the channel is gone. The orders are kept. Choose another channel with **/alerts set**, and all of them are posted there.`,
  channelForbidden: (server: string, channel: string) =>
    `Order alerts for the server **${server}** cannot be posted in ${channel}: a permission is missing. The orders are kept. Give the bot **View Channel**, **Send Messages**, **Embed Links** and **Read Message History** there, or choose another channel with **/alerts set**, and all of them are posted.`,
  digestChannelLost: (server: string, channel: string) =>
    `The digest for the server **${server}** cannot be posted in ${channel}: the channel is gone. Nothing is lost. Choose another channel with **/digest set**, or turn the digest off with **/digest off**.`,
  digestForbidden: (server: string, channel: string) =>
    `The digest for the server **${server}** cannot be posted in ${channel}: a permission is missing. Nothing is lost. Give the bot **View Channel**, **Send Messages**, **Embed Links** and **Read Message History** there, or choose another channel with **/digest set**, and it is posted.`,
  route: {
    lost: (rule: string, server: string, channel: string) =>
      `The rule **${rule}** in the server **${server}** cannot post in ${channel}: the channel is gone. Delete the rule with **/alerts route remove**, and create it again for another channel.`,
    forbidden: (rule: string, server: string, channel: string) =>
      `The rule **${rule}** in the server **${server}** cannot post in ${channel}: a permission is missing. Give the bot **View Channel**, **Send Messages**, **Embed Links** and **Read Message History** there.`,
    meanwhile: {
      staff: "No alert is lost: until then they are posted in the usual channel.",
      feed: "Its public lines wait until then.",
    },
    /** Says what becomes of public lines if the channel is gone. A new rule does not post what waits for a deleted rule. */
    linesLost: "The public lines of orders that come until then are not posted.",
  },
};
