import { z } from "zod";
import type { Interaction, PretendDiscord } from "../../sandbox/discord/discord.ts";
import { type Demo, demoLanguages, inLanguage } from "../start-demo.ts";
import { type Troubles, troubleNames } from "./troubles.ts";

/** The page calls these by `POST /api/<name>` with a JSON body. */
export type Actions = Readonly<Record<string, (body: unknown) => unknown>>;

const id = z.string().regex(/^\d{1,20}$/);
const locale = z.enum(["en-US", "pt-BR", "es-ES"]);
const attachment = z.looseObject({ id, filename: z.string() });
const value = z.union([z.string(), z.number(), z.boolean(), attachment]);
const place = { by: id, channelId: id, locale };
const command = z.object({
  ...place,
  name: z.string(),
  subcommand: z.string().optional(),
  options: z.record(z.string(), value).default({}),
});
const press = z.object({
  ...place,
  messageId: id,
  customId: z.string(),
  values: z.array(z.string()).optional(),
});
const submit = z.object({
  by: id,
  interactionId: id,
  fields: z.record(z.string(), z.union([z.string(), z.boolean(), z.array(z.string()), z.array(attachment)])),
});

type Options = Parameters<PretendDiscord["command"]>[1]["options"];
type Fields = Parameters<PretendDiscord["submit"]>[2];

export function createActions(demo: Demo, troubles: Troubles, changed: () => void): Actions {
  const { discord, store, guild } = demo;
  const openers = new Map<string, Interaction>();

  /** What the first answer asks for: a window, choices, to wait for a message, or to say that none came. */
  async function result(interaction: Interaction): Promise<object> {
    try {
      const { modal, choices } = await interaction.answer();
      if (modal === undefined) return choices === undefined ? {} : { choices };
      openers.set(interaction.id, interaction);
      return { modal: { interactionId: interaction.id, title: modal.title, components: modal.components } };
    } catch {
      return { failed: true };
    }
  }

  const typed = (body: unknown) => {
    const { by, options, ...input } = command.parse(body);
    return { by, input: { ...input, guildId: guild.id, options: options as Options } };
  };

  const actions: Actions = {
    command: async (body) => {
      const { by, input } = typed(body);
      await demo.settled();
      return result(discord.command(by, input));
    },
    autocomplete: async (body) => {
      const { by, input } = typed(body);
      const { focused } = z.object({ focused: z.string() }).parse(body);
      await demo.settled();
      return result(discord.autocomplete(by, { ...input, focused }));
    },
    press: async (body) => {
      const { by, channelId, messageId, customId, values, locale: language } = press.parse(body);
      await demo.settled();
      const message = discord.messagesFor(by, channelId).find((candidate) => candidate.id === messageId);
      if (message === undefined) throw new Error("message-gone");
      return result(discord.press(by, message, customId, { values, locale: language }));
    },
    submit: async (body) => {
      const { by, interactionId, fields } = submit.parse(body);
      await demo.settled();
      const opener = openers.get(interactionId);
      if (opener === undefined) throw new Error("form-closed");
      const submitted = discord.submit(by, opener, fields as Fields);
      openers.delete(interactionId);
      return result(submitted);
    },
    say: (body) => {
      const { by, channelId, content } = z
        .object({ by: id, channelId: id, content: z.string().trim().min(1).max(2_000) })
        .parse(body);
      discord.say(by, channelId, content);
    },

    "place-orders": (body) => {
      const { count } = z.object({ count: z.int().min(1).max(100) }).parse(body);
      store.placeOrders(count);
    },
    "set-status": (body) => {
      const order = z.object({ id: z.uuid(), status: z.enum(["PAID", "CANCELLED"]) }).parse(body);
      store.setStatus(order.id, order.status);
    },
    trouble: async (body) => {
      const { name, on } = z.object({ name: z.enum(troubleNames), on: z.boolean() }).parse(body);
      await troubles.set(name, on);
    },
    language: async (body) => {
      const { locale: chosen } = z.object({ locale }).parse(body);
      const language = demoLanguages.find((known) => inLanguage[known].locale === chosen) ?? "en";
      // The store is connected again, so it has to answer.
      if (language !== demo.language()) await Promise.all(troubleNames.map((name) => troubles.set(name, false)));
      await demo.speak(language);
    },
    "start-over": () => demo.startOver(),
    "kill-bot": () => demo.killBot(),
    "start-bot": () => demo.startBot(),
  };
  return Object.fromEntries(
    Object.entries(actions).map(([name, act]) => [
      name,
      async (body: unknown) => {
        const answer = await act(body);
        changed();
        return answer ?? {};
      },
    ]),
  );
}
