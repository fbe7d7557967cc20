import { textOf } from "../sandbox/discord/discord.ts";
import { readable } from "../sandbox/readable.ts";
import { run, type World } from "../support/process/world.ts";

/** In place of the answer that the command has without a fault. */
export const asAlways = "as always";

export interface Asked {
  readonly command: string;
  readonly answer: string;
}

const answerMs = 15_000;
const problem = /^(?:⚠️|❌)/u;
/** Lines of `/alerts status` about trouble. */
const tellingLines = /^(?:Orders waiting to be posted|Last problem)/;

/** Removes marks, times and references, so the text is the same in every run. */
const plainly = (world: World, text: string) =>
  readable(text.replace(/<t:\d+:R>/g, "a moment ago").replace(/<t:\d+:\w>/g, "12:00"), world.guild)
    .replace(/\n?Reference: \w+/, "")
    .trim();

async function ask(world: World, command: string, options: Record<string, string> = {}): Promise<Asked> {
  const interaction = run(world, command, options);
  try {
    await interaction.answer();
    const text = plainly(world, textOf(await interaction.settled(answerMs)));
    const telling = text.split("\n").filter((line) => tellingLines.test(line));
    if (telling.length > 0) return { command, answer: telling.join(". ") };
    return { command, answer: problem.test(text) ? text : asAlways };
  } catch {
    const isThinking = interaction.answeredAfterMs() !== undefined;
    return {
      command,
      answer: isThinking ? "“thinking…”, without an end" : "Discord: “The application did not respond”",
    };
  }
}

/** One command reads from the store, one from the storage, and one changes the storage. */
export const askAll = (world: World): Promise<Asked[]> =>
  Promise.all([ask(world, "orders"), ask(world, "alerts status"), ask(world, "store settings", { currency: "EUR" })]);

/** The result returns messages in the alert channel that are no alerts of these orders, and direct messages to the owner. */
export function watchNotices(world: World): (ids: readonly string[]) => { channel: string[]; direct: string[] } {
  const { discord, guild } = world;
  const inChannel = () => discord.messages(guild.channel("new-orders"));
  const inDirect = () => discord.dms(guild.person("owner"));
  const known = new Set([...inChannel(), ...inDirect()].map(({ id }) => id));
  const later = (messages: ReturnType<typeof inChannel>) =>
    messages.filter(({ id }) => !known.has(id)).map((message) => textOf(message));
  return (ids) => {
    const isAlert = (text: string) => ids.some((id) => text.includes(id.slice(0, 8)));
    const notices = later(inChannel()).filter((text) => !isAlert(text));
    return {
      channel: notices.map((text) => plainly(world, text)),
      direct: later(inDirect()).map((text) => plainly(world, text)),
    };
  };
}
