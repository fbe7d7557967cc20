import { longestReplyMinutes } from "../../basics/limits/limits-in-texts.ts";

/** Files of orders and products. */
export const exports = {
  today: "Today",
  yesterday: "Yesterday",
  daysAgo: (days: string) => `${days} days ago`,
  thisMonth: "First day of this month",
  lastMonthBegan: "First day of last month",
  lastMonthEnded: "Last day of last month",
  reading: { orders: "Reading orders", products: "Reading products" },
  /** `written`: rows in the file so far. */
  progress: (read: string, about: string, written: string) => `${read} of about ${about} read · ${written} in the file`,
  tooMuch: {
    orders: `There are more orders than can be read in the ${longestReplyMinutes} minutes that Discord allows, so the file will be incomplete. For a complete one, press **Cancel** and choose days with \`from\` and \`to\`.`,
    products: `There are more products than can be read in the ${longestReplyMinutes} minutes that Discord allows, so the file will be incomplete.`,
  },
  done: {
    orders: (count: string) => `Orders in the file: **${count}**`,
    products: (count: string) => `Products in the file: **${count}**`,
  },
  doneInParts: {
    orders: (count: string, files: string) => `Orders in ${files} files: **${count}**`,
    products: (count: string, files: string) => `Products in ${files} files: **${count}**`,
  },
  days: (zone: string) => `Days in the time zone ${zone}.`,
  form: "Times are in UTC, decimals use a point, and columns are separated by commas.",
  part: (number: string) => `Part ${number}`,
  none: { orders: "No orders found, so there is no file.", products: "No products found, so there is no file." },
  customersHidden:
    "Customers are left out because of this server's privacy setting. Members with Manage Server get them.",
  customersMasked:
    "Customers are partly hidden because of this server's privacy setting. Members with Manage Server get them in full.",
  undated: (count: string) => `Left out, because the store gives no date for them: ${count}.`,
  uncertain:
    "The pages of the store's list did not fit together, so some entries may be missing. Run the command again to be sure.",
  /** `read` of `about` entries were read before the export ended. */
  incomplete: (read: string, about: string) => `The file is incomplete: ${read} of about ${about} were read.`,
  noFile: "Nothing that was read so far belongs in the file, so there is no file.",
  late: "The time that Discord allows ran out.",
  chooseDays: "For the rest, choose days with `from` and `to`.",
  ending: "The bot was stopped meanwhile. Run the command again in a minute.",
  broke: "Run the command again in a few minutes.",
  cancelled: {
    orders: "Export cancelled. To get a file, run `/export orders` again.",
    products: "Export cancelled. To get a file, run `/export products` again.",
    stats: "Cancelled. To get the statistics, run `/stats` again.",
  },
};
