import { setTimeout as sleep } from "node:timers/promises";
import { PermissionFlagsBits } from "@discordjs/core";
import { budgets } from "../../src/basics/limits/budgets.ts";
import type { ApiMessage, Attachment, GuildModel, Interaction } from "../sandbox/discord/discord.ts";
import { textOf } from "../sandbox/discord/discord.ts";
import { run, suggested, type World } from "../support/world.ts";
import { createTranscriber, type Transcriber } from "./transcript.ts";

type Options = Readonly<Record<string, string | number | boolean | Attachment>>;

/** The document as it grows. */
export interface Book {
  chapter(title: string, introduction: string): void;
  /** @param how how to get there, as markdown @param shown transcripts, one below the other */
  screen(title: string, how: string, ...shown: readonly string[]): void;
  list(items: readonly string[]): void;
  markdown(): string;
}

export function createBook(title: string, introduction: string): Book {
  const parts = [`# ${title}`, introduction];
  return {
    chapter: (name, text) => void parts.push(`## ${name}`, text),
    screen: (name, how, ...shown) =>
      void parts.push(`### ${name}`, how, ...shown.map((text) => `~~~~text\n${text}\n~~~~`)),
    list: (items) => void parts.push(items.map((item) => `- ${item}`).join("\n")),
    markdown: () => `${parts.join("\n\n")}\n`,
  };
}

/** One server with its people, seen in one language, and written into a book. */
export interface Visit extends Pick<Book, "screen"> {
  readonly guild: GuildModel;
  readonly show: Transcriber;
  /** Records the message in which an interaction ends, and returns it. */
  shown(title: string, how: string, interaction: Interaction): Promise<ApiMessage>;
  /** Records the window that an interaction opens. */
  window(title: string, how: string, opener: Interaction): Promise<void>;
  /** Runs a command and records its answer. `as`: options whose typed text differs from the value. */
  runs(title: string, name: string, options?: Options, as?: Options, after?: string): Promise<ApiMessage>;
  /** Presses a button, or chooses the value of a menu, and records the answer. */
  presses(title: string, message: ApiMessage, label: string, how?: string, value?: string): Promise<ApiMessage>;
  /** `/name option: value` as this language's Discord offers it. */
  typed(name: string, options?: Options): string;
  /** Somebody (default: the owner) runs a command in #staff. */
  run(name: string, options?: Options, by?: string): Interaction;
  suggest(name: string, focused: string, text: string): Promise<string>;
  press(message: ApiMessage, button: string, value?: string): Interaction;
  submit(opener: Interaction, fields: Parameters<World["discord"]["submit"]>[2]): Interaction;
  /** The alert or notice in #new-orders with this text in it. */
  posted(text: string, deadlineMs?: number): Promise<ApiMessage>;
  channel(name: string): string;
}

/**
 * Gives the answers no faster than one person in one server may go on asking, half of what is free at once held back: the
 * bot would answer that it goes too fast.
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

/** Adds a server to the world; `locale` is that of its people. */
export function visit(
  world: World,
  book: Book,
  name: string,
  locale: string,
  aliases: ReadonlyMap<string, string>,
): Visit {
  const { discord } = world;
  const people = [{ name: "owner" }, { name: "staff", roles: ["Staff"] }, { name: "member" }];
  const guild = discord.addGuild({
    name,
    channels: ["new-orders", "staff", "deliveries", "wins"],
    roles: [{ name: "Staff", permissions: PermissionFlagsBits.ManageGuild }],
    people: people.map((person) => ({ ...person, locale })),
  });
  const there: World = { ...world, guild };
  const paced = createPace();
  const show = createTranscriber({ guild, locale, aliases, now: Date.now });
  const channel = (wanted: string) => guild.channel(wanted);
  type Named = { readonly name: string; readonly name_localizations?: object | null; readonly options?: unknown };
  const inLanguage = ({ name_localizations: names, name: plain }: Named) =>
    Object.entries(names ?? {}).find(([language]) => language === locale)?.[1] ?? plain;

  const at: Visit = {
    guild,
    show,
    channel,
    screen: book.screen,
    async shown(title, how, interaction) {
      const message = await interaction.settled();
      book.screen(title, how, show.message(message));
      return message;
    },
    async window(title, how, opener) {
      const { modal } = await opener.answer();
      if (modal === undefined) throw new Error("it opened no modal");
      book.screen(title, how, show.modal(modal));
    },
    runs: (title, command, options = {}, as = {}, after = "") =>
      at.shown(title, at.typed(command, { ...options, ...as }) + after, at.run(command, options)),
    presses: (title, message, label, how = `Press **${label}**.`, value) =>
      at.shown(title, how, at.press(message, label, value)),
    typed(command, options = {}) {
      const words: string[] = [];
      let offered: readonly Named[] = discord.commands();
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
    },
    run: (command, options, by) => paced(run(there, command, options, by, { force: true })),
    suggest: async (command, focused, text) =>
      show.choices(await suggested(there, command, focused, { [focused]: text })),
    press: (message, button, value) =>
      paced(discord.press(guild.person("owner"), message, button, value === undefined ? {} : { values: [value] })),
    submit: (opener, fields) => paced(discord.submit(guild.person("owner"), opener, fields)),
    posted: (text, deadlineMs = 15_000) =>
      discord.waitFor(
        () => discord.messages(channel("new-orders")).find((message) => textOf(message).includes(text)),
        `${text} in #new-orders`,
        deadlineMs,
      ),
  };
  return at;
}

/** Connects the store as its owner does it. */
export async function connect(to: Visit, token: string): Promise<ApiMessage> {
  const opener = to.run("store connect");
  await opener.answer();
  return to.submit(opener, { token }).settled();
}
