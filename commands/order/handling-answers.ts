import { sampleId } from "../../src/alerts/sample-order.ts";
import { isManager } from "../../src/discord/commands/caller.ts";
import type { Press } from "../../src/discord/commands/define-command.ts";
import type { Reply } from "../../src/discord/commands/reply.ts";
import type { Services } from "../../src/discord/commands/services.ts";
import { texts } from "../../src/locales/texts.ts";
import { StoreError } from "../../src/store-api/store-error.ts";
import { type HandlingPress, handledAlert, handlingRefused } from "../../src/views/orders/handling.ts";
import { notice } from "../../src/views/parts/notice.ts";
import { type OpenedFrom, readCard } from "../show-order.ts";

async function handled(which: HandlingPress, press: Press<{ readonly id: string }>, services: Services, reply: Reply) {
  const { args, guildId, userId, locale } = press;
  const { isDone, take } = await services.handling.press(
    which,
    { guildId, userId, isManager: isManager(press) },
    args.id,
  );
  return { isDone, tell: () => reply.send(notice(handlingRefused(which, take, userId, locale))) };
}

const readIfGiven = (...order: Parameters<typeof readCard>) =>
  readCard(...order).catch((error: unknown) => {
    if (error instanceof StoreError) return undefined;
    throw error;
  });

/** Edits the alert to show the result. */
export const onAlert =
  (which: HandlingPress) =>
  async (press: Press<{ readonly id: string }>, services: Services, reply: Reply): Promise<undefined> => {
    const { args, guildId, locale, message } = press;
    if (args.id === sampleId) {
      await reply.send(notice(texts(locale).setUp.isSample));
      return;
    }
    const { isDone, tell } = await handled(which, press, services, reply);
    if (!isDone) await tell();
    // Even if the press did nothing, the alert's buttons may be out of date.
    if (message === undefined) return;
    await services.editThrottle(message.id, async () => {
      const { settings } = await services.guilds.get(guildId);
      const takes = await services.handling.of(guildId, [args.id]);
      await reply.show(handledAlert(message.content, [args.id], takes, settings.language));
    });
  };

/**
 * Shows the card again, and edits the order's alert. If the press changed nothing, or if the order cannot be read now, a
 * private message says instead whether the order is free, taken or done.
 */
export const onCard =
  (which: HandlingPress) =>
  async (press: Press<{ readonly id: string } & OpenedFrom>, services: Services, reply: Reply): Promise<undefined> => {
    const { guildId, channelId } = press;
    const { id, ...opened } = press.args;
    const { isDone, tell } = await handled(which, press, services, reply);
    const alert = "alert" in opened ? opened.alert : undefined;
    const from = alert === undefined ? undefined : { channelId, messageId: alert };
    const guild = await services.guilds.get(guildId);
    const shown = services.alerts.showTakes(guild, id, { from, pace: services.editThrottle });
    try {
      const card = isDone ? await readIfGiven(press, services, id, opened) : undefined;
      await (card ? reply.show(card) : tell());
    } finally {
      await shown;
    }
  };
