import { typedMax, uploadMebibytes } from "../../basics/limits/limits-in-texts.ts";
import { number, plural } from "./plural.ts";

/**
 * Texts of `/add-product`. Discord's limits in windows: title and label 45 characters, description and option 100. Each
 * kind of stock has a name for the menu (`option`) and one for the preview (`fact`).
 */
export const addProduct = {
  modalTitle: "New product",
  description: "Description",
  descriptionHint: "What customers read on the product's page",
  descriptionFull: `At most ${number(typedMax)} characters. If the original is longer, its end is missing here.`,
  instructions: "Instructions",
  instructionsHint: "How to use the product, for those who bought it",
  stockType: "What buyers receive",
  stockTypeHint: "How the stock below is delivered",
  kinds: {
    SERIAL: { option: "A key or code for each buyer, one per line", fact: "keys or codes" },
    TEXT: { option: "A text, the same for everyone", fact: "a text" },
    FILE: { option: "A file, the same for everyone", fact: "a file" },
  },
  stock: "Stock",
  stockHint: "Type it here, or upload a text file below. It is not shown again.",
  stockKept: (what: string) => `Leave this and the file empty to keep what you entered (${what}).`,
  stockFile: "Stock as a text file",
  stockFileHint: `UTF-8, at most ${uploadMebibytes} MiB. Buyers get the file under the same name.`,
  messages: "Messages",
  messagesHint: "Sent in the chat after a purchase, one per line",
  windows: {
    names: {
      basics: "Title and price",
      media: "Pictures and video",
      options: "Options",
      messages: "Automatic chat messages",
    },
    title: "Title",
    price: "Price",
    priceHint: "Such as 49.90",
    compareAt: "Compare-at price",
    compareAtHint: "The price before the discount, shown struck through",
    category: "Category",
    otherCategory: "Another category",
    otherCategoryHint: "Its ID, if it is not in the list above",
    image: "Pictures",
    imageHint: "Up to ten links (https://…), separated by spaces or line breaks",
    youtube: "Video",
    youtubeHint: "Link to a YouTube video",
    minQuantity: "Minimum quantity",
    minQuantityHint: "Smallest quantity per purchase",
    sales: "Number of sales",
    product: "Product in the store",
    chat: "Chat after a purchase",
    unset: "Leave it to the store",
    hide: "Hide",
    show: "Show",
    on: "On",
    off: "Off",
  },
  previewHeading: "**Preview** · nothing has been created yet",
  editHint: "-# **Edit** changes the texts and the stock; the buttons below it change the rest.",
  understood: (typed: string, amount: string) =>
    `⚠️ ${typed} was understood as **${amount}**. If that is wrong, press **Title and price**.`,
  compareBelow:
    "⚠️ The compare-at price is lower than the price. Press **Title and price** to change it, or **Create** to keep it.",
  pictureNotShown: (link: string) =>
    `⚠️ Discord cannot show ${link} as a picture, but the store will get it. If the link is wrong, press **Pictures and video**.`,
  noStock: "⚠️ There is no stock yet. Press **Edit** to add it.",
  stockFact: (kind: string, what: string) => `Stock: ${kind}, ${what}`,
  lines: (count: number, shown: string) => plural(count, { one: "1 line", other: `${shown} lines` }),
  fileFact: (name: string, size: string, lines: string) => `from ${name} (${size}, ${lines})`,
  instructionsFact: (text: string) => `Instructions: ${text}`,
  video: (link: string) => `Video: ${link}`,
  minQuantity: (count: string) => `Minimum quantity: ${count}`,
  salesHidden: "The number of sales is hidden",
  salesShown: "The number of sales is shown",
  productHidden: "The product is hidden in the store",
  productShown: "The product is shown in the store",
  chatOn: "Chat after a purchase: on",
  chatOff: "Chat after a purchase: off",
  chatImplied: "Chat after a purchase: on, because there are automatic messages",
  chatOffAsChosen: "Chat after a purchase: off, as you chose, although there are automatic messages",
  messagesFact: (count: string, texts: string) => `Automatic messages (${count}): ${texts}`,
  textsKept: "What you typed is kept: **Edit** takes you back to it.",
  created: (id: string) => `The product is in your store.\nID: ${id}`,
  found: (id: string) =>
    `The store did not confirm, but the product was created: there is a new one with the same title, price and category.\nID: ${id}`,
  notFound:
    "The product was sent, but the store did not confirm it. It is **not in the store yet**. Look again in a minute. If you create it again, there may be two.",
  cannotLook:
    "The product was sent, but the store did not confirm it, and the bot cannot look for it now. Look again in a minute.",
  lookAgain: "Look again",
  createAgain: "Create again",
  cancelled: "Cancelled. Nothing was created. To continue with this draft, press **Bring it back** within a day.",
  cancelledUnsure:
    "Cancelled. The store may still have created the product in the earlier attempt: look for its title with `/products`. To continue with this draft, press **Bring it back** within a day.",
  bringBack: "Bring it back",
  discard: "Delete it now",
  discarded: "The draft is deleted.",
};
