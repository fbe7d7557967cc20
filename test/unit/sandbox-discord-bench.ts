import { API, PermissionFlagsBits } from "@discordjs/core";
import { REST } from "@discordjs/rest";
import { type GuildModel, type PretendDiscord, startDiscord } from "../sandbox/discord/discord.ts";

const V2 = 1 << 15;
export const text = (content: string) => ({ type: 10, content });
export const button = (label: string, custom_id?: string) => ({ type: 2, style: 1, label, custom_id });
export const row = (...components: unknown[]) => ({ type: 1, components });
export const v2 = (...components: unknown[]) => ({ flags: V2, components });

const COMMANDS = [
  {
    name: "alerts",
    description: "Alerts",
    default_member_permissions: String(PermissionFlagsBits.ManageGuild),
    options: [
      {
        type: 1,
        name: "set",
        description: "Where orders ring",
        options: [
          { type: 7, name: "channel", description: "Where", required: true, channel_types: [0] },
          { type: 4, name: "page", description: "Page", min_value: 1 },
          { type: 3, name: "status", description: "Status", autocomplete: true, max_length: 10 },
        ],
      },
    ],
  },
];

/** A pretend Discord with a clock that can be put forward, and the real REST client. */
export type Bench = Awaited<ReturnType<typeof setUp>>;

/** Starts a pretend Discord, and what talks to it. */
export async function setUp() {
  let ahead = 0;
  const discord: PretendDiscord = await startDiscord({ now: () => Date.now() + ahead });
  // Its own way to send uses whichever undici came first in the process.
  const makeRequest = (url: string, init: object) => fetch(url, init);
  const rest = new REST({ version: "10", api: discord.apiUrl, retries: 0, makeRequest }).setToken(discord.token);

  /** Discord's answer to a request made without the client's own checks. */
  const raw = async (method: string, path: string, body?: unknown, token = discord.token) => {
    const response = await fetch(`${discord.apiUrl}/v10${path}`, {
      method,
      headers: { authorization: `Bot ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answered = response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>);
    return { status: response.status, headers: response.headers, body: answered, text: JSON.stringify(answered) };
  };

  const inStaff = (guild: GuildModel) => ({
    guildId: guild.id,
    channelId: guild.channel("staff"),
    name: "alerts",
    subcommand: "set",
  });

  return {
    discord,
    api: new API(rest),
    raw,
    publish: () => raw("PUT", `/applications/${discord.applicationId}/commands`, COMMANDS),
    forward: (ms: number) => {
      ahead += ms;
    },
    /** `/alerts set` by the staff member. */
    run: (guild: GuildModel, options: Record<string, string | number> = {}) =>
      discord.command(guild.person("staff"), {
        ...inStaff(guild),
        options: { channel: guild.channel("new-orders"), ...options },
      }),
    callback: (interaction: { id: string; token: string }, body: unknown) =>
      raw("POST", `/interactions/${interaction.id}/${interaction.token}/callback`, body),
    webhook: (interaction: { token: string }, method: string, body?: unknown, message = "/messages/@original") =>
      raw(method, `/webhooks/${discord.applicationId}/${interaction.token}${message}`, body),
    tearDown: () => discord.close(),
  };
}
