import { once } from "node:events";
import { Client, Events, GatewayIntentBits, MessageFlags } from "discord.js";
import { offer } from "../child.ts";

const calls = {
  /** Defers the answer, which is the least that a bot has to do with a command. */
  async connect(apiUrl: string, token: string) {
    const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: apiUrl } });
    client.on(Events.InteractionCreate, (interaction) => {
      if (interaction.isChatInputCommand()) void interaction.deferReply({ flags: MessageFlags.Ephemeral });
    });
    const ready = once(client, Events.ClientReady);
    await client.login(token);
    await ready;
  },
};

export type BareHandlerCalls = typeof calls;
offer(calls);
