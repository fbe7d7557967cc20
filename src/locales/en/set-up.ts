import { plural } from "./plural.ts";

/**
 * Texts of the set-up: the steps from an accepted API token to the first alert. Some are also used by `/alerts set`.
 * Arguments are safe in markdown.
 */
export const setUp = {
  title: "Your store is connected",
  intro: (last4: string) =>
    `API token ending in ${last4}. Choose where and how new orders are announced, then press **Send a sample** to turn alerts on.`,
  introOn: (last4: string) =>
    `API token ending in ${last4}. Alerts are on. If you change the channel, the role or what triggers an alert, press **Send a sample** to save it.`,
  channel: "Channel",
  chooseChannel: "Choose a channel",
  role: "Role to mention",
  noRoleChosen: "No role",
  triggers: "What triggers an alert",
  trigger: {
    new: "New orders",
    paid: "Paid orders",
    both: "New and paid orders",
  },
  triggerHint: {
    new: "As soon as an order is placed",
    paid: "Only once an order is paid",
    both: "When it is placed, and again when it is paid",
  },
  zoneHint:
    "Used for days, quiet hours and digests. The first one is a guess from your language. For other time zones, use **/store settings**.",
  sendSample: "Send a sample",
  noRole: "No role",
  change: "Change",
  details: "Details",
  missing: (channel: string, permissions: string) =>
    `In ${channel}, the bot is missing: ${permissions}. Allow this for the bot in the channel's settings under **Permissions**.`,
  silentRole: (role: string, permission: string) =>
    `${role} is not notified yet: in the role's settings, let anyone mention it, or give the bot **${permission}** in that channel.`,
  goneRole:
    "The role that alerts mention was deleted, so nobody is notified. Choose another role with **/alerts set**.",
  goneStaffRole:
    "The staff role was deleted, so the staff can no longer use the bot. Choose another role with **/store settings**.",
  customersShown: (channel: string) =>
    `Everyone in this server may be able to read ${channel}, and alerts there would show customers, as your privacy setting allows. Press **Confirm** to continue, or choose another channel.`,
  done: (channel: string) => `A sample was posted in ${channel}. From now on, order alerts come there.`,
  doneTitle: "Alerts are on",
  everyoneStays: "Alerts cannot mention @everyone, so the role stays as it was.",
  unknownStatuses: (count: number, statuses: string) =>
    plural(count, {
      one: `The bot does not know the status ${statuses}: an alert comes for it only if your store uses exactly this word.`,
      other: `The bot does not know the statuses ${statuses}: an alert comes for them only if your store uses exactly these words.`,
    }),
  roleGone: "Alerts no longer mention a role.",
  isSample: "This is a sample, so there is no order behind it. In a real alert, this button shows the order.",
  sampleItem: "Sample product",
  otherSampleItem: "Another sample product",
  allWell: (host: string, looked: string) => `All is well: ${host} answers. Last check for orders: ${looked}.`,
  answersOnly: (host: string) => `${host} answers, but alerts are off. Turn them on with **/alerts set**.`,
  notWell: "Something needs attention",
  tokenRefused: (since: string) =>
    `The store refuses the API token (first noticed ${since}). Enter a new one with **/store connect**.`,
  cannotPost: (channel: string, since: string) =>
    `Alerts cannot be posted in ${channel} (first noticed ${since}). Give the bot its permissions there, or choose another channel with **/alerts set**: everything that is waiting is then posted.`,
  notPosted: (channel: string, since: string) =>
    `The last message of a rule or the digest for ${channel} could not be posted (first noticed ${since}). Check the bot's permissions there, or choose another channel.`,
  late: (delay: string) =>
    `The last check for orders was late (delay: ${delay}). If this goes on, tell the person who runs this bot.`,
  onlyPageOne:
    "The store ignores the page number, so the bot sees only the first page of orders, and can miss others. Tell the person who runs this bot: `STORE_ORDER_PARAMS` may have a wrong name for it.",
};

/** The window that asks for the API token. Discord's limits: title and label 45 characters, description 100. */
export const connect = {
  title: "Connect your store",
  label: "API token",
  hint: "From your store's administration panel: Settings, then Open API. It is stored encrypted.",
  placeholder: "Paste the token here",
};

/** The greeting in a new server. A locked phone shows the first line. */
export const greeting = {
  inServer: "Hello! I am Shopbell, and I post an alert for every new order in your store",
  toOwner: (server: string) =>
    `Hello! I am now in **${server}**, and I post an alert for every new order in your store`,
  nextStep:
    "Next step, for someone with the **Manage Server** permission: type **/store connect** in any channel of the server, and paste your store's API token into the window that opens. Nobody else sees it.",
};
