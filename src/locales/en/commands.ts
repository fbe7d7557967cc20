import { logDays } from "../../basics/limits/limits-in-texts.ts";
import { languageNames } from "../../basics/locale.ts";
import { filter, named } from "../command-text.ts";

/** Names and descriptions of every command, its options and their choices, for Discord's menus. */
export const commands = {
  store: {
    ...named("store", "Connect this server to your store"),
    subcommands: {
      connect: named("connect", "Connect your store with its API token"),
      status: named("status", "Check the connection to your store"),
      settings: {
        ...named("settings", "Choose how money, customers and days are shown"),
        options: {
          currency: named("currency", "Currency of your prices, such as USD, EUR or BRL"),
          language: {
            ...named("language", "Language of the messages in this server's channels"),
            choices: languageNames,
          },
          privacy: {
            ...named("privacy", "Which customer details channels show"),
            choices: { none: "Not shown", masked: "Partly hidden", full: "In full" },
          },
          staff: named("staff", "Role whose members can use the bot too"),
          timezone: named("timezone", "Time zone of days, quiet hours and digests, such as America/Sao_Paulo"),
        },
      },
      disconnect: named("disconnect", "Delete the API token and everything stored for this server"),
      log: named("log", `Show who changed what in the last ${logDays} days`),
    },
  },
  alerts: {
    ...named("alerts", "New-order alerts"),
    subcommands: {
      set: {
        ...named("set", "Post new orders in a channel from now on"),
        options: {
          channel: named("channel", "Where new orders are posted"),
          role: named("role", "Role to mention with each alert"),
          statuses: named("statuses", "Statuses that trigger an alert, separated by commas (default: Pending)"),
        },
      },
      off: named("off", "Stop posting new orders"),
      status: named("status", "Check the alerts"),
      test: named("test", "Post a sample alert"),
      remind: {
        ...named("remind", "Remind the channel of orders that nobody took"),
        options: {
          after: named("after", "How long after the alert, such as 30 minutes, or off"),
          quiet: named("quiet", "Hours without reminders, such as 22-8"),
          timezone: named("timezone", "Time zone of the quiet hours, if not the server's"),
        },
      },
    },
    groups: {
      route: {
        ...named("route", "Rules about where orders go"),
        subcommands: {
          add: {
            ...named("add", "Send some orders to another channel, or show them to everyone"),
            options: {
              name: named("name", "Name of the rule"),
              channel: named("channel", "Where these orders go"),
              style: {
                ...named("style", "An alert for your staff, or a short line for everyone"),
                choices: { staff: "Alert for staff", feed: "Public line without customer" },
              },
              role: named("role", "Role to mention with each of them"),
              status: named("status", "Orders that get this status (if left out: new orders)"),
              product: named("product", "Only orders with this product"),
              category: named("category", "Only orders with a product of this category"),
              method: named("method", "Only orders with this in the payment method"),
              from: named("from", "Only orders with this total or more, such as 100 or 1,234.56"),
              to: named("to", "Only orders with this total or less"),
              items: named("items", "Only orders with this many pieces or more"),
              amount: named("amount", "In a public line: show the total"),
            },
          },
          list: named("list", "List the rules in order"),
          move: {
            ...named("move", "Move a rule: an alert follows the first rule that matches"),
            options: {
              name: named("name", "The rule"),
              position: named("position", "Its new position: 1 is the first"),
            },
          },
          remove: { ...named("remove", "Delete a rule"), options: { name: named("name", "The rule") } },
          test: {
            ...named("test", "Show where an order would go, and why"),
            options: { order: named("order", "The order's ID") },
          },
        },
      },
    },
  },
  orders: {
    ...named("orders", "List your store's orders"),
    options: {
      status: named("status", "Only these statuses, separated by commas"),
      email: filter("email", "Only orders of the customer with this e-mail address", "E-mail"),
      handling: {
        ...filter("handling", "Only orders that you took, nobody took, or somebody else took", "Handling"),
        choices: { mine: "Mine", free: "Free", someones: "Someone's" },
      },
      page: named("page", "Page to start with"),
    },
  },
  order: {
    ...named("order", "Show one order"),
    options: { id: named("id", "The order's ID") },
  },
  customer: {
    ...named("customer", "Show all orders of one customer"),
    options: { email: named("email", "The customer's e-mail address") },
  },
  products: {
    ...named("products", "List your store's products"),
    options: {
      title: named("title", "Only products with this in the title"),
      category: named("category", "Only products of this category"),
      page: named("page", "Page to start with"),
    },
  },
  export: {
    ...named("export", "Get your store's orders or products as a CSV file"),
    subcommands: {
      orders: {
        ...named("orders", "Get orders as a CSV file that only you see"),
        options: {
          status: named("status", "Only these statuses, separated by commas"),
          from: named("from", "First day, such as 2026-11-21 or yesterday"),
          to: named("to", "Last day, such as 2026-11-21 or today"),
        },
      },
      products: named("products", "Get all products as a CSV file that only you see"),
    },
  },

  stats: {
    ...named("stats", "Show sales for a period, compared with the one before (only you see it)"),
    options: {
      period: {
        ...named("period", "Which period"),
        choices: { today: "Today so far", yesterday: "Yesterday", week: "Last 7 days", month: "Last 30 days" },
      },
    },
  },
  digest: {
    ...named("digest", "A daily or weekly summary of sales"),
    subcommands: {
      set: {
        ...named("set", "Post the digest in a channel every day or every week"),
        options: {
          channel: named("channel", "Where it is posted"),
          every: { ...named("every", "How often"), choices: { day: "Every day", week: "Every Monday" } },
          hour: named("hour", "Hour of the day, from 0 to 23"),
          timezone: named("timezone", "Time zone of the digest, if not the server's, such as America/Sao_Paulo"),
        },
      },
      off: named("off", "Stop posting the digest"),
    },
  },
  "add-product": {
    ...named("add-product", "Add a product to your store"),
    options: {
      title: named("title", "Title of the product"),
      price: named("price", "Selling price, such as 49.90"),
      category: named("category", "Category: choose one or paste its ID"),
      "compare-at": named("compare-at", "Price before the discount, shown struck through"),
      image: named("image", "Link to a picture (https://…), or several separated by spaces"),
      youtube: named("youtube", "Link to a YouTube video"),
      "min-quantity": named("min-quantity", "Smallest quantity per purchase"),
      "hide-sales": named("hide-sales", "Hide the number of sales"),
      "hide-product": named("hide-product", "Hide the product in the store"),
      chat: named("chat", "Open a chat with the customer after a purchase"),
    },
  },
  "import-products": {
    ...named("import-products", "Create many products from a CSV file, each only once"),
    options: { file: named("file", "The CSV file, as /export products gives it") },
  },
};
