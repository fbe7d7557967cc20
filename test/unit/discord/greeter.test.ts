import { API, type Locale } from "@discordjs/core";
import { describe, expect, it } from "vitest";
import { createGreeter, greetedTable, type SeenGuild } from "../../../src/discord/publishing/greeter.ts";
import { createRest } from "../../../src/discord/rest/rest.ts";
import { createRestMessenger } from "../../../src/discord/rest/rest-messenger.ts";
import type { Messenger } from "../../../src/outbox/messenger.ts";
import { type GuildModel, type GuildSpec, textOf } from "../../sandbox/discord/discord.ts";
import { recordedLog } from "../../support/recorded-log.ts";
import { useDiscord } from "../../support/use-discord.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { useStorage } from "../../support/use-storage.ts";

const dayMs = 24 * 3_600_000;

const discord = useDiscord();
const storage = useStorage();
const logged = useFixture(recordedLog);

const seen = (guild: GuildModel): SeenGuild => ({
  id: guild.id,
  name: guild.name,
  preferred_locale: guild.locale as Locale,
  system_channel_id: guild.systemChannelId ?? null,
  joined_at: new Date(guild.joinedAt).toISOString(),
});

interface State {
  readonly now?: () => number;
  readonly send?: Messenger["send"];
}

/** Each call is a new process. The records are in the storage. */
const started = (state: State = {}) =>
  createGreeter({
    messenger: {
      ...createRestMessenger({
        api: new API(createRest({ token: discord.token, apiUrl: discord.apiUrl })),
        botId: discord.botUserId,
      }),
      ...(state.send && { send: state.send }),
    },
    greeted: storage.table(greetedTable),
    log: logged.log,
    now: state.now ?? Date.now,
  });

const newGuild = (spec: GuildSpec = {}) => discord.addGuild({ joinedAt: Date.now(), systemChannel: "staff", ...spec });
const said = (guild: GuildModel) => [
  ...discord.messages(guild.channel("staff")).map(textOf),
  ...discord.dms(guild.ownerId).map(textOf),
];

describe("a server that invited the bot is greeted", () => {
  it.each([
    ["en-US", "**/store connect**"],
    ["pt-BR", "**/loja conectar**"],
    ["es-419", "**/tienda conectar**"],
  ])("in its system channel, in the language of %s, with the next step", async (locale, command) => {
    const guild = newGuild({ locale });
    await started().see(seen(guild));
    expect(discord.messages(guild.channel("staff")).map(textOf)).toEqual([expect.stringContaining(command)]);
    expect(discord.refusals).toEqual([]);
  });

  it("in a message to its owner, with its name, where there is no system channel", async () => {
    const guild = newGuild({ systemChannel: "none", name: "**Bold** @everyone" });
    await started().see(seen(guild));
    const [hello = "", ...more] = said(guild);

    expect(more).toEqual([]);
    expect(hello).toContain("\\*\\*Bold\\*\\*");
    expect(hello).toContain("/store connect");
  });

  it("in a message to its owner where the system channel is closed", async () => {
    const guild = newGuild();
    discord.setBotPermissions(guild.channel("staff"), { deny: 1n << 11n });
    await started().see(seen(guild));

    expect(discord.dms(guild.ownerId)).toHaveLength(1);
    expect(said(guild)).toHaveLength(1);
  });

  it("once, however often it becomes available and the process starts", async () => {
    const guild = newGuild();
    const greeter = started();
    await Promise.all([greeter.see(seen(guild)), greeter.see(seen(guild))]);
    await started().see(seen(guild));
    // Some servers in Discord's place give the time of the connection (before: each new session greeted again).
    await started().see({ ...seen(guild), joined_at: new Date(guild.joinedAt + 60_000).toISOString() });

    expect(said(guild)).toHaveLength(1);
    // The nonce prevents a repeat only for some minutes, so the message must not be sent at all.
    expect(discord.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  it("once where two processes see it at the same moment", async () => {
    const guild = newGuild();
    await Promise.all([started().see(seen(guild)), started().see(seen(guild))]);
    expect(said(guild)).toHaveLength(1);
  });

  it("again if it removed the bot and invites it again, also while the first greeting is sent", async () => {
    const guild = newGuild();
    const sending = Promise.withResolvers<{ id: string }>();
    const begun = Promise.withResolvers<void>();
    const send = () => {
      begun.resolve();
      return sending.promise;
    };
    const greeter = started({ send });
    const greeted = greeter.see(seen(guild));
    await begun.promise;
    const forgotten = greeter.forget(guild.id);

    sending.resolve({ id: "1" });
    await Promise.all([greeted, forgotten]);
    await started().see(seen(guild));
    expect(said(guild)).toHaveLength(1);
  });
});

describe("nobody is greeted", () => {
  it("who invited the bot more than a week ago: 0.1.0 is known by then", async () => {
    const guild = newGuild({ joinedAt: Date.now() - 8 * dayMs });
    await started().see(seen(guild));
    expect(said(guild)).toEqual([]);

    await started({ now: () => Date.now() - 2 * dayMs }).see(seen(guild));
    expect(said(guild)).toHaveLength(1);
  });

  it("a second time after a greeting that may have arrived: that is logged", async () => {
    const guild = newGuild();
    const undo = discord.fail({ method: "POST", path: /messages$/, drop: "after" });
    await started().see(seen(guild));
    expect(logged.said("warn")).toEqual([expect.stringContaining("could not greet a server")]);

    undo();
    await started().see(seen(guild));
    expect(said(guild)).toHaveLength(1);
  });

  it("who takes no messages: that is logged, with the next step", async () => {
    const guild = newGuild({ systemChannel: "none" });
    const body = { message: "Cannot send messages to this user", code: 50_007 };
    discord.fail({ method: "POST", path: /messages$/, status: 403, body });
    await started().see(seen(guild));
    expect(logged.said("warn")).toEqual([expect.stringContaining("/store connect")]);
  });
});
