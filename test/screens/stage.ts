import { setTimeout as sleep } from "node:timers/promises";
import { PermissionFlagsBits } from "@discordjs/core";
import { budgets } from "../../src/basics/limits/budgets.ts";
import { type ApiMessage, type Attachment, type Interaction, textOf } from "../sandbox/discord/discord.ts";
import { run, suggested, type World } from "../support/process/world.ts";
import { createTranscriber } from "./transcript.ts";

type Options = Readonly<Record<string, string | number | boolean | Attachment>>;

/** Scenes add their screens. */
export type Book = ReturnType<typeof createBook>;

export function createBook(title: string, introduction: string) {
  const parts = [`# ${title}`, introduction];
  return {
    chapter: (name: string, text: string) => void parts.push(`## ${name}`, text),
    /** `how`: how to get there, as markdown. `shown`: transcripts, one below the other. */
    screen: (name: string, how: string, ...shown: readonly string[]) =>
      void parts.push(`### ${name}`, how, ...shown.map((text) => `~~~~text\n${text}\n~~~~`)),
    list: (items: readonly string[]) => void parts.push(items.map((item) => `- ${item}`).join("\n")),
    markdown: () => `${parts.join("\n\n")}\n`,
  };
}

/**
 * Delays answers, so that a person never asks too fast for the bot. Half of the interactions that the bot allows at once are
 * kept in reserve.
 */
function createPace(): (interaction: Interaction) => Interaction {
  const { burst, perSecond } = budgets.interactions;
  const eachMs = 1_000 / perSecond;
  let backAt = 0;
  const rest = () => sleep(Math.max(backAt - performance.now() - (burst / 2) * eachMs, 0));
  return (interaction) => {
    backAt = Math.max(backAt, performance.now()) + eachMs;
    const paced: Pick<Interaction, "answer" | "settled"> = {
      answer: (deadlineMs) => interaction.answer(deadlineMs).finally(rest),
      settled: (deadlineMs) => interaction.settled(deadlineMs).finally(rest),
    };
    return Object.assign(Object.create(interaction) as Interaction, paced);
  };
}

type Named = { readonly name: string; readonly name_localizations?: object | null; readonly options?: unknown };

/** `/name option: value`, as a Discord in this language offers it. */
function typed(commands: readonly Named[], locale: string, command: string, options: Options): string {
  const inLanguage = ({ name_localizations: names, name: plain }: Named) =>
    Object.entries(names ?? {}).find(([language]) => language === locale)?.[1] ?? plain;
  const words: string[] = [];
  let offered = commands;
  const take = (wanted: string) => {
    const found = offered.find((candidate) => candidate.name === wanted);
    if (found === undefined) throw new Error(`there is no ${wanted} in /${command}`);
    return found;
  };
  for (const step of command.split(" ")) {
    const found = take(step);
    words.push(inLanguage(found));
    offered = (found.options ?? []) as readonly Named[];
  }
  const filled = Object.entries(options).map(([option, value]) => `${inLanguage(take(option))}: ${value}`);
  return `\`/${[...words, ...filled].join(" ")}\``;
}

/** A server with its people, as they see it in their language. */
export type Visit = ReturnType<typeof visit>;

/** `locale` is that of the server's people. */
export function visit(world: World, book: Book, name: string, locale: string, aliases: ReadonlyMap<string, string>) {
  const { discord } = world;
  const people = [{ name: "owner" }, { name: "staff", roles: ["Staff"] }, { name: "member" }];
  const guild = discord.addGuild({
    name,
    channels: ["new-orders", "staff", "deliveries", "wins"],
    roles: [{ name: "Staff", permissions: PermissionFlagsBits.ManageGuild }],
    people: people.map((person) => ({ ...person, locale })),
  });
  const there: World = { ...world, guild };
  const owner = guild.person("owner");
  const paced = createPace();
  const show = createTranscriber({ guild, locale, aliases, now: Date.now });

  const at = {
    guild,
    show,
    channel: (wanted: string): string => guild.channel(wanted),
    screen: book.screen,
    /** Records the message in which an interaction ends. */
    async shown(title: string, how: string, interaction: Interaction): Promise<ApiMessage> {
      const message = await interaction.settled();
      book.screen(title, how, show.message(message));
      return message;
    },
    /** Records the window that an interaction opens. */
    async window(title: string, how: string, opener: Interaction): Promise<void> {
      const { modal } = await opener.answer();
      if (modal === undefined) throw new Error("it opened no modal");
      book.screen(title, how, show.modal(modal));
    },
    /** Records the answer. `as`: options whose typed text differs from the value. */
    runs: (title: string, command: string, options: Options = {}, as: Options = {}, after = ""): Promise<ApiMessage> =>
      at.shown(title, at.typed(command, { ...options, ...as }) + after, at.run(command, options)),
    /** Presses a button, or chooses the value of a menu, and records the answer. */
    presses: (
      title: string,
      message: ApiMessage,
      label: string,
      how = `Press **${label}**.`,
      value?: string,
    ): Promise<ApiMessage> => at.shown(title, how, at.press(message, label, value)),
    typed: (command: string, options: Options = {}): string => typed(discord.commands(), locale, command, options),
    /** In #staff, by default by the owner. */
    run: (command: string, options?: Options, by?: string): Interaction =>
      paced(run(there, command, options, by, { force: true })),
    suggest: async (command: string, focused: string, text: string): Promise<string> =>
      show.choices(await suggested(there, command, focused, { [focused]: text })),
    press: (message: ApiMessage, button: string, value?: string): Interaction =>
      paced(discord.press(owner, message, button, value === undefined ? {} : { values: [value] })),
    submit: (opener: Interaction, fields: Parameters<World["discord"]["submit"]>[2]): Interaction =>
      paced(discord.submit(owner, opener, fields)),
    /** An alert or notice in #new-orders that contains this text. */
    posted: (text: string, deadlineMs = 15_000): Promise<ApiMessage> =>
      discord.waitFor(
        () => discord.messages(guild.channel("new-orders")).find((message) => textOf(message).includes(text)),
        `${text} in #new-orders`,
        deadlineMs,
      ),
    /** A message in #staff that the owner sees and that contains this text. */
    seen: (text: string): Promise<ApiMessage> =>
      discord.waitFor(
        () => discord.messagesFor(owner, guild.channel("staff")).find((message) => textOf(message).includes(text)),
        `${text} in #staff`,
      ),
  };
  return at;
}

export async function connect(to: Visit, token: string): Promise<ApiMessage> {
  const opener = to.run("store connect");
  await opener.answer();
  return to.submit(opener, { token }).settled();
}
