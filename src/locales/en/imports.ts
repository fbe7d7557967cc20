import { importDays, titleMax, typedMax } from "../../basics/limits/limits-in-texts.ts";
import { number, plural } from "./plural.ts";

/** Texts about importing products from a file. Counts are already formatted; the argument `count` chooses the plural form. */
export const imports = {
  faulty: (count: number, shown: string) =>
    plural(count, {
      one: "There is 1 mistake in the file, so **nothing was created**. Correct it and send the file again.",
      other: `There are ${shown} mistakes in the file, so **nothing was created**. Correct them and send the file again.`,
    }),
  allFaults: "The file below lists all of them.",
  /** `column` is the column's name in the file. */
  fault: (row: string, column: string, what: string) => `Row ${row}, \`${column}\`: ${what}`,
  faultOfRow: (row: string, what: string) => `Row ${row}: ${what}`,
  faults: {
    bad_title: "the title is missing or cannot be read",
    bad_price: "not a price: it has to be a number from 0 to 1,000,000,000,000, such as 49.90",
    bad_decimals: "too many digits after the decimal separator; write thousands without a separator, such as 1234",
    bad_category: "not the ID of a category, as the file from /export products has it",
    bad_picture: "not links to pictures: up to ten that begin with https:// or http://, separated by spaces",
    bad_type: "has to be DEFAULT",
    too_long: `too long: a title can have ${titleMax} characters, a description ${number(typedMax)}`,
    more_cells: "more cells than there are columns",
  },
  preview: (count: number, shown: string) =>
    plural(count, {
      one: "**Preview** · 1 product in the file, nothing has been created yet",
      other: `**Preview** · ${shown} products in the file, nothing has been created yet`,
    }),
  before: (count: number, shown: string) =>
    plural(count, {
      one: `1 of them was created by an import in the last ${importDays} days, and will be left out. For another one like it, use **Copy** in \`/products\`.`,
      other: `${shown} of them were created by an import in the last ${importDays} days, and will be left out. For more like them, use **Copy** in \`/products\`.`,
    }),
  allBefore: "There is nothing left to create.",
  sentBefore: (count: number, shown: string) =>
    plural(count, {
      one: "⚠️ 1 of them was already sent to the store, which did not confirm it. **Create** looks for it in the store first, and sends it again only if it is not there.",
      other: `⚠️ ${shown} of them were already sent to the store, which did not confirm them. **Create** looks for them in the store first, and sends again only what is not there.`,
    }),
  alike: (count: number, shown: string) =>
    plural(count, {
      one: "⚠️ 1 row seems to be in the store already: it has an ID, or the title of one of the newest products. An import changes no product: this row becomes a new one.",
      other: `⚠️ ${shown} rows seem to be in the store already: they have an ID, or the title of one of the newest products. An import changes no product: these rows become new ones.`,
    }),
  understood: (row: string, typed: string, amount: string) => `⚠️ Row ${row}: ${typed} was understood as **${amount}**.`,
  unknownColumns: (columns: string) => `⚠️ Unknown columns, left out: ${columns}`,
  noStock: "-# Products are created without stock, because these files do not contain it. Add it in the store.",
  row: (row: string) => `Row ${row}`,
  pictures: (count: number, shown: string) => plural(count, { one: "1 picture", other: `${shown} pictures` }),
  createRemaining: "Create the remaining",
  running: "Creating products",
  progress: (done: string, all: string) => `${done} of ${all} created`,
  refused: (count: number, shown: string) =>
    plural(count, { one: "Refused by the store: **1**", other: `Refused by the store: **${shown}**` }),
  unclear: (count: number, shown: string) =>
    plural(count, {
      one: "⚠️ 1 was sent, but the store did not confirm it: it **may or may not be in the store**. Wait a minute, then press **Create the remaining**: that looks for it, and sends it again only if it is not there.",
      other: `⚠️ ${shown} were sent, but the store did not confirm them: they **may or may not be in the store**. Wait a minute, then press **Create the remaining**: that looks for them, and sends again only what is not there.`,
    }),
  ifCut:
    "-# If the bot is restarted, this message stops changing. In that case, wait half a minute, then press **Cancel** or send the same file again: you continue where it stopped, and nothing is created twice.",
  done: (count: number, shown: string) =>
    plural(count, { one: "Products created: **1**", other: `Products created: **${shown}**` }),
  leftOut: (shown: string) => `Created by an earlier import, left out: ${shown}`,
  open: (shown: string) => `Not sent: **${shown}**`,
  cancelled: "The import was cancelled. What was created stays.",
  late: "The time that Discord allows ran out.",
  ending: "The bot was stopped meanwhile. You can continue in a minute.",
  stopped: "The import stopped:",
  tooUnclear: "The import stopped, because the store did not confirm several products.",
  goOn: `To continue, press **Create the remaining**, or send the same file again within ${importDays} days. Nothing is created twice.`,
  stopping:
    "The import is stopping. What was created stays; the import's message will soon show the result for each product. If it does not change, the bot was restarted: press **Cancel** again in half a minute.",
  over: `That import is no longer running: it has ended, or the bot was restarted. What was created stays. To continue, press **Create the remaining**, or send the same file again within ${importDays} days. Nothing is created twice.`,
  discarded: "Cancelled. Nothing was created.",
  file: {
    row: "row",
    column: "column",
    problem: "problem",
    title: "title",
    result: "result",
    created: "created",
    before: "created before",
    refused: "refused",
    unclear: "not confirmed",
    open: "not sent",
  },
};
