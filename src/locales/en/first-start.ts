/**
 * The dialogue of `npm start` on a terminal, if there are no settings yet. No markdown. Names in the developer portal stay in
 * English, because the portal has no other language.
 */
export const firstStart = {
  title: "Shopbell: initial setup",
  need: "You need two things: a Discord bot's token, and the address of your store's API.",
  portal: "The token, in the Discord developer portal:",
  newApplication: "1. New Application: give it a name (the bot will have that name) and press Create.",
  resetToken: "2. Bot, in the menu on the left: press Reset Token, then Copy.",
  askToken: "Paste the token. It is not shown.",
  noToken: "Paste the token that Reset Token showed you.",
  tokenShape: "A bot token is one word, copied whole from the developer portal.",
  asking: "Asking Discord …",
  tokenRefused: "Discord does not know this token. Reset Token makes a new one; the old one then stops working.",
  discordAway: (reason: string) =>
    `Discord cannot be reached (${reason}). Check this machine's network, DISCORD_API_URL if you set it, and https://discordstatus.com.`,
  bot: (name: string) => `This is the bot ${name}.`,
  whatNow: "What now?",
  askStore: "Address of your store's API",
  storeExample: "https://api.example.com",
  noStore: "Type the address, such as https://api.example.com. The bot cannot work without it.",
  storeShape: {
    none: "This is no address; one looks like https://api.example.com. The store's API token is asked for later, in Discord.",
    http: "This address cannot be used: it must begin with https://.",
  },
  storeGiven: (address: string) => `The store's API is at ${address}, as STORE_API_URL says.`,
  storeFound: (host: string) => `${host} asks for a token, as a store's API does.`,
  storeOther: (host: string, status: string) =>
    `Something other than a store's API answers at ${host}, such as a web page (answer ${status}).`,
  storeNone: (host: string, reason: string) => `${host} cannot be reached (${reason}). Is this the right address?`,
  storeWhere:
    "The API's address is often different from the shop's: look in your store's panel, under Settings, Open API, or ask its provider.",
  otherAddress: "Enter another address",
  keepAddress: "Keep this one",
  kept: "To correct it later, change STORE_API_URL in the file .env in this folder, or delete that file and start again.",
  keptGiven:
    "To correct it, change STORE_API_URL where you set it, and start again. It has precedence over the file .env.",
  written: "Both are now in the file .env. Do not show it to anyone.",
  notWritten: (reason: string) =>
    `The file .env cannot be written (${reason}). Nothing was saved. Correct that and start again.`,
  exists: "A file .env appeared meanwhile and was left as it is. Start again.",
  invite: "Now invite the bot. Open this link, choose your server and press Authorize:",
  goesOn: "The bot is starting. Press Ctrl-C to stop it.",
  cancelled: "Cancelled. Nothing was saved.",
};
