import { apiChannel } from "./api-objects.ts";
import { apiErrors } from "./errors.ts";
import type { ChannelModel } from "./model.ts";
import { reachChannel } from "./reach-channel.ts";
import { ok, type Route } from "./routes.ts";
import type { World } from "./world.ts";

function directChannel(world: World, channel: ChannelModel, last: string | null): Record<string, unknown> {
  const recipient = world.users.get(channel.recipientId ?? "");
  return {
    id: channel.id,
    type: channel.type,
    last_message_id: last,
    flags: 0,
    recipients: recipient ? [recipient] : [],
  };
}

/** Channels and direct messages, as the bot's token reaches them. */
export function channelRoutes(world: World): Route[] {
  return [
    {
      method: "GET",
      path: "/channels/:channelId",
      auth: "bot",
      bucket: { limit: 50, windowMs: 10_000 },
      handle: (request) => {
        const channel = reachChannel(world, request);
        const last = world.publicMessages(channel.id).at(-1)?.message.id ?? null;
        return ok(channel.guildId === undefined ? directChannel(world, channel, last) : apiChannel(channel, last));
      },
    },
    {
      method: "POST",
      path: "/users/@me/channels",
      auth: "bot",
      bucket: { limit: 10, windowMs: 10_000 },
      handle: (request) => {
        const { recipient_id } = request.check<{ recipient_id?: string }>(
          "CreatePrivateChannelRequestSchema",
          () => [],
        );
        if (recipient_id === undefined || !world.users.has(recipient_id)) throw apiErrors.unknownUser();
        // Discord opens the channel with anybody, and refuses at the first message.
        return ok(directChannel(world, world.directChannel(recipient_id), null));
      },
    },
  ];
}
