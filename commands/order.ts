import { sampleId } from "../src/alerts/sample-order.ts";
import { type Caller, customersFor, isManager } from "../src/discord/commands/caller.ts";
import { defineCommand, execute, type Press } from "../src/discord/commands/define-command.ts";
import type { Reply } from "../src/discord/commands/reply.ts";
import type { Connected, Services } from "../src/discord/commands/services.ts";
import { texts } from "../src/locales/texts.ts";
import type { Order } from "../src/store-api/schemas.ts";
import { findOrder, orderIdIn } from "../src/store-queries/find-order.ts";
import { theirOrders } from "../src/views/orders/customer-page.ts";
import { type HandlingPress, handledAlert, handlingButtons, handlingRefused } from "../src/views/orders/handling.ts";
import { orderCard } from "../src/views/orders/order-card.ts";
import { buttonRow } from "../src/views/parts/components.ts";
import { customIds } from "../src/views/parts/custom-ids.ts";
import { backRow } from "../src/views/parts/list-page.ts";
import { notice } from "../src/views/parts/notice.ts";
import { orderOption } from "./options.ts";

/** Stands for the list of a customer's orders in custom ids of a card that was opened from this list. */
export const customerList = "customer";

/**
 * Where a card was opened: below an alert (`alert` is the id of its message), or from a page of a list (without `list`, that of
 * `/orders`).
 */
type OpenedFrom =
  | { readonly alert?: string | undefined }
  | { readonly session: string; readonly page: number; readonly list?: string | undefined };

/** Makes the card of one order, with its buttons. If it was opened from a list, a button leads back to the page. */
export async function showOrder(
  caller: Caller,
  services: Services,
  order: Order,
  { guild, view }: Pick<Connected, "guild" | "view">,
  from: OpenedFrom = {},
) {
  const { guildId, locale } = caller;
  const { id } = order;
  const { buttons } = customIds.order;
  const handling = await services.handling.ofOrder(guildId, id);
  const presses = handlingButtons(handling.take, locale, (press) =>
    "session" in from
      ? buttons[`list-${press}`].makeIfFits({ id, list: undefined, ...from })
      : buttons[`card-${press}`].makeIfFits({ id, alert: from.alert }),
  );
  const isTheirs = "session" in from && from.list === customerList;
  const theirs = isTheirs ? [] : theirOrders(order, customersFor(caller, guild.settings.privacy), caller);
  const list = isTheirs ? customIds.customer : customIds.orders;
  const rows =
    "session" in from
      ? [...buttonRow(...presses), ...backRow(list, from.session, from.page, locale, ...theirs)]
      : buttonRow(...presses, ...theirs);
  return orderCard(order, view, { handling, rows });
}

async function card(caller: Caller, services: Services, id: string, from?: OpenedFrom) {
  const shop = await services.connected();
  return showOrder(caller, services, await findOrder(shop.store, id), shop, from);
}

/** The alert whose button was pressed. A reply, such as the message about a payment, is not an alert. */
const alertOf = ({ message }: Press): OpenedFrom => ({ alert: message?.isReply ? undefined : message?.id });

/** Carries out a press, or tells the person in private why it did nothing. Returns whether it changed anything. */
async function handled(which: HandlingPress, press: Press<{ readonly id: string }>, services: Services, reply: Reply) {
  const { args, guildId, userId, locale } = press;
  const { isDone, take } = await services.handling.press(
    which,
    { guildId, userId, isManager: isManager(press) },
    args.id,
  );
  if (!isDone) await reply.send(notice(handlingRefused(which, take, userId, locale)));
  return isDone;
}

/** Handles a press on an alert of one order, and edits the alert to show the result. */
const onAlert =
  (which: HandlingPress) =>
  async (press: Press<{ readonly id: string }>, services: Services, reply: Reply): Promise<undefined> => {
    const { args, guildId, locale, message } = press;
    if (args.id === sampleId) {
      await reply.send(notice(texts(locale).setUp.isSample));
      return;
    }
    await handled(which, press, services, reply);
    // Edit the alert even if the press did nothing, because its buttons may be out of date.
    if (message === undefined) return;
    await services.editThrottle(message.id, async () => {
      const { settings } = await services.guilds.get(guildId);
      const takes = await services.handling.of(guildId, [args.id]);
      await reply.show(handledAlert(message.content, [args.id], takes, settings.language));
    });
  };

/** Handles a press on a card. If the press changed anything, shows the card again. Also edits the order's alert. */
const onCard =
  (which: HandlingPress) =>
  async (press: Press<{ readonly id: string } & OpenedFrom>, services: Services, reply: Reply): Promise<undefined> => {
    const { guildId, channelId } = press;
    const { id, ...opened } = press.args;
    const isDone = await handled(which, press, services, reply);
    const alert = "alert" in opened ? opened.alert : undefined;
    const from = alert === undefined ? undefined : { channelId, messageId: alert };
    const guild = await services.guilds.get(guildId);
    const shown = services.alerts.showTakes(guild, id, { from, pace: services.editThrottle });
    // The alert is edited as well, even if the card cannot be shown.
    try {
      if (isDone) await reply.show(await card(press, services, id, opened));
    } finally {
      await shown;
    }
  };

export const order = defineCommand("order", {
  execute: execute({
    options: { id: orderOption },
    async run(caller, services) {
      const shop = await services.connected();
      return card(caller, services, await orderIdIn(caller.options.id, shop, services));
    },
  }),

  handlers: {
    // The answer is private, although everybody in the channel sees the alert.
    buttons: {
      open: {
        answer: "ephemeral",
        run: async (press, services) =>
          press.args.id === sampleId
            ? notice(texts(press.locale).setUp.isSample)
            : card(press, services, press.args.id, alertOf(press)),
      },
      take: onAlert("take"),
      done: onAlert("done"),
      back: onAlert("back"),
      "card-take": onCard("take"),
      "card-done": onCard("done"),
      "card-back": onCard("back"),
      "list-take": onCard("take"),
      "list-done": onCard("done"),
      "list-back": onCard("back"),
    },
    menus: {
      pick: {
        answer: "ephemeral",
        run: (choice, services) => card(choice, services, choice.value ?? "", alertOf(choice)),
      },
    },
  },
});
