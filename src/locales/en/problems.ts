import {
  longestReminderDays,
  longestReplyMinutes,
  mostImportCells,
  mostImportRows,
  mostTypedStatuses,
  uploadMebibytes,
} from "../../basics/limits/limits-in-texts.ts";
import { number, plural } from "./plural.ts";

/**
 * One text for each code of `Problem`; the keys are the codes. A text says what happened and what to do next. If something
 * could have been lost or changed, the text says whether it was. Arguments are safe in markdown.
 */
export const problems = {
  unauthorized:
    "The store refused the API token, or does not allow this with it. Nothing was changed. Connect a new one with `/store connect`: you get it in the store's administration panel, under Settings, then Open API.",
  not_found:
    "The store has nothing with that ID. It may be mistyped, deleted, or of a store that was connected before.",
  invalid:
    "The store refused this request and gave no reason. Nothing was changed. If you entered something, check it and try again. Otherwise tell the person who runs this bot.",
  invalid_because: (detail: string) =>
    `The store refused this request. Nothing was changed. It says: “${detail}”. If this is about something you entered, correct it and try again.`,
  rate_limited: (seconds: number) =>
    `The store is getting too many requests. Nothing was changed. Try again in ${plural(seconds, { one: `1 second`, other: `${seconds} seconds` })}.`,
  unavailable: "The store cannot be reached or has a fault right now. Nothing was changed. Try again in a few minutes.",
  timeout: "The store took too long to answer. Try again in a minute.",
  malformed:
    "The answer from the address of the store could not be understood. Nothing was changed. If this keeps happening, tell the person who runs this bot: the address may be wrong.",
  too_large: "The store's answer was too big to read. Narrow the search, for example with a status or a title.",
  ambiguous:
    "The product was sent to the store, but no answer came: it may or may not have been created. The bot does not send it again by itself. Look for the title with `/products` before you try again.",
  not_connected:
    "No store is connected to this server yet. Someone with the Manage Server permission can connect one with `/store connect`.",
  not_allowed: "Only members with the Manage Server permission or the staff role can use this.",
  managers_only: "Only members with the Manage Server permission can use this.",
  someone_elses: "Only the person who ran the command can use this. Run the command yourself to get your own.",
  expired: "This has expired. Run the command again to start over.",
  unknown_action: "This is from an earlier version of the bot. Run the command again.",
  guild_only: "This works only in a server, not in direct messages. Run the command in your store's server.",
  cooldown: (seconds: number) =>
    `The bot got too many requests. Try again in ${plural(seconds, { one: `1 second`, other: `${seconds} seconds` })}.`,
  storage:
    "The bot cannot reach its own storage right now, so this was not done. Nothing that was saved before is lost. Try again in a few minutes.",
  undecryptable:
    "The saved API token can no longer be read, most likely because the bot's secret key was changed. Your other settings are kept. Connect the store again with `/store connect`.",
  bad_email: "That is not an e-mail address. Type one such as `name@example.com`, or copy it from an order.",
  customers_hidden:
    "This server's privacy setting hides customers, so only members with the Manage Server permission can look up their orders. They can change that with `/store settings privacy`.",
  bad_uuid:
    "That is not an order ID, and no recent order begins with it. Choose one of the suggestions that come while you type, or paste a whole ID such as `3f2a91bc-5d0e-4c1a-9b7e-0123456789ab`.",
  bad_token:
    "That cannot be an API token: it is empty or contains invalid characters. Nothing was saved. Copy the whole token and run `/store connect` again.",
  bad_currency:
    "That is not a currency. Nothing was changed. Use a code of three letters, such as `USD`, `BRL` or `EUR`.",
  bad_page: (lastPage: string) => `This list has no such page. Type a number from 1 to ${lastPage}.`,
  bad_day: (today: string) =>
    `That is not a date. Type year, month and day, such as \`${today}\`, or \`today\` or \`yesterday\`.`,
  days_reversed: "The first day is after the last one. Swap `from` and `to`.",
  reminders_off: "Reminders are off. Nothing was changed. To turn them on, also give `after`, such as `30 minutes`.",
  bad_reminder: `Those are not valid reminder settings. Nothing was changed. \`after\` is a time from 1 minute to ${longestReminderDays} days, such as \`30 minutes\` or \`2 hours\`, or \`off\`; \`quiet\` is a range of hours, such as \`22-8\`; \`timezone\` is that of the quiet hours, from the list.`,
  export_running: "You already have an export running. Wait until it ends, or stop it with **Cancel**.",
  exports_full: "Too many exports are running right now. Try again in a few minutes.",
  import_broken: (line: string) =>
    `This CSV file is broken at line ${line}: a cell there has no clear end. Nothing was created. Save it again as CSV (UTF-8) and send it again.`,
  import_wide: (line: string) =>
    `Line ${line} of the file has more than ${mostImportCells} cells. Nothing was created. Delete the columns that are not about products and send the file again.`,
  import_columns: (columns: string) =>
    `The file is missing columns: ${columns}. Nothing was created. The first row has to name the columns, as in the file from \`/export products\`, which also has the \`categoryId\` of each product. Needed are \`title\`, \`price\` and \`categoryId\`.`,
  import_twice: (column: string) =>
    `The file has the column ${column} more than once. Nothing was created. Keep one of them and send the file again.`,
  import_empty:
    "The file has no products: there is nothing below its first row. Nothing was created. Add a row for each product and send the file again.",
  import_long: `The file has too many rows: the limit is ${number(mostImportRows)}. Nothing was created. Split it into several files.`,
  import_too_large: `The file is too big: the limit is ${uploadMebibytes} MiB. Nothing was created. Split it into several files.`,
  import_not_text:
    "The file is not UTF-8 text. Nothing was created. Save it as **CSV UTF-8** in your spreadsheet program and send it again.",
  import_unread: "The file could not be downloaded from Discord. Nothing was sent to the store. Send the file again.",
  import_changed:
    "The file is no longer the one that was shown, or its prices would now be read differently. Nothing was sent to the store. Send the file again.",
  import_readings_full: "Other files are being read right now. Nothing was sent to the store. Try again in a moment.",
  full: "The bot has no room for more right now, so this could not be finished. Nothing that was saved before is lost. Try again in an hour.",
  import_running:
    "An import is already running in this server. Wait until it ends, or stop it with **Cancel**. If the bot was restarted meanwhile, try again in half a minute.",
  imports_full: "Too many imports are running right now. Nothing was created. Try again in a few minutes.",
  stats_running: "Orders are already being read for statistics or a file. Try again in a minute.",
  stats_late: `There are more orders than can be read in the ${longestReplyMinutes} minutes that Discord allows. Ask for a shorter period.`,
  ending: "The bot was stopped meanwhile. Nothing was changed. Run the command again in a minute.",
  too_many_statuses: `That is more than ${mostTypedStatuses} statuses. Nothing was changed. Leave some out and try again.`,
  bad_zone:
    "That is not a time zone. Nothing was changed. Start typing a city, such as `America/Sao_Paulo`, and pick it from the list.",
  digest_off: "The digest is already off. Turn it on with `/digest set`.",
  channel_gone:
    "That channel is gone, or the bot cannot see it. Nothing was posted. Orders waiting for it are kept: choose another channel with `/alerts set`.",
  forbidden:
    "The bot is missing permissions in that channel, so nothing was posted. Let it view the channel and send messages there, then try again.",
  forbidden_without: (permissions: string) =>
    `The bot is missing permissions in that channel, so nothing was posted. Give it: ${permissions}. Then try again.`,
  discord_down:
    "Discord did not confirm the message, so it may be missing in the channel. Try again in a minute. `/alerts status` shows whether alerts are on.",
  public_not_theirs:
    "Everyone in this server can read that channel, and alerts there would show customers. Only someone with the Manage Server permission can allow that. Nothing was changed. Choose a private channel, or ask them.",
  customers_not_theirs:
    "Alerts in this server show customers, so only someone with the Manage Server permission can choose another channel. Nothing was changed. Ask them.",
  role_not_theirs:
    "You cannot mention that role in that channel, so you cannot make the bot mention it. Nothing was changed. Someone with the Manage Server permission can choose it, or let everyone mention the role.",
  channel_not_theirs:
    "You cannot see that channel or write in it, so you cannot make the bot write there. Nothing was changed. Choose a channel that you can write in, or ask someone with the Manage Server permission.",
  foreign_channel: "That channel is not in this server. Nothing was changed. Choose one from the list.",
  foreign_role: "That role is not in this server. Nothing was changed. Choose one from the list.",
  discord_silent:
    "Discord is not answering right now, so the bot cannot check who can read that channel. Nothing was changed. Try again in a few minutes, or ask someone with the Manage Server permission.",
  bad_category: "That is not a category. Choose one of the suggestions, or paste its ID.",
  bad_title: "A product needs a title that can be read.",
  bad_picture:
    "That is not a link to a picture. Links begin with `https://` or `http://`; separate several (up to ten) with spaces.",
  bad_video:
    "That is not a link to a YouTube video. One begins with `https://www.youtube.com/` or `https://youtu.be/`.",
  bad_price: "A price is a number, such as `49.90`.",
  bad_decimals:
    "This price has too many digits after the decimal separator. Write it like `49.90`, and thousands without a separator, like `1234`.",
  bad_quantity: "The minimum quantity is a whole number, 1 or more.",
  stock_too_large: `The stock file is too big: the limit is ${uploadMebibytes} MiB.`,
  stock_not_text: "The stock file has to be plain UTF-8 text, and must not be empty.",
  stock_twice: "There is stock both in the text field and in a file. Use only one of them.",
  stock_unread: "The stock file could not be downloaded from Discord. Upload it again.",
  alerts_off: "Alerts are off in this server. Turn them on with `/alerts set`.",
  already_done: "This was already done, so it was not done again.",
  cancelled: "That draft was cancelled. Run the command again to start a new one.",
  not_begun: "Discord did not take the bot's answer, so this was not done. Nothing was changed. Try again in a minute.",
  not_shown:
    "Discord did not take the answer, so the bot cannot show it. What you asked for may have been done: check before you try again. If it happens again, give the reference to the person who runs this bot.",
  internal:
    "Something went wrong in the bot, and this was not completed. Try again. If it happens again, give the reference to the person who runs this bot.",
};

/**
 * Reasons why long work, or work that the bot does by itself, failed. A reason does not say what follows and what to do next.
 * The text after it does, because that depends on the work.
 */
export const failures = {
  unauthorized: "The store refused the API token. If this goes on, connect a new one with `/store connect`.",
  rate_limited: "The store got too many requests.",
  unavailable: "The store could not be reached, or had a fault.",
  timeout: "The store took too long to answer.",
  unusable: "The bot could not use the store's answer. If this goes on, tell the person who runs this bot.",
  undecryptable:
    "The saved API token could not be read, most likely because the bot's secret key was changed. Connect the store again with `/store connect`.",
  storage: "The bot could not reach its own storage. If this goes on, tell the person who runs this bot.",
  channel_gone:
    "A message could not be posted, because its channel is gone or the bot cannot see it. Choose another channel, or let the bot see this one.",
  forbidden:
    "A message could not be posted, because the bot is missing permissions in its channel. Let the bot view the channel and send messages there, or choose another one.",
  undelivered: "Discord did not confirm that it posted a message.",
  internal: "Something went wrong in the bot. If this goes on, tell the person who runs this bot.",
};

/** Discord's names of permissions in each language, as in the settings of a channel. Keys are the names in Discord's API. */
export const permissions = {
  ViewChannel: "View Channel",
  SendMessages: "Send Messages",
  EmbedLinks: "Embed Links",
  ReadMessageHistory: "Read Message History",
  MentionEveryone: "Mention @everyone, @here, and All Roles",
};
