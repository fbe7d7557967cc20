import { MessageFlags } from "@discordjs/core";
import { expect } from "vitest";
import { type ApiMessage, type Interaction, textOf } from "../../sandbox/discord/discord.ts";
import type { Bot, World } from "./world.ts";

/** The first answer to a press whose message is changed later, or not at all. */
const deferredUpdate = 6;

/** The private text that a person gets: the answer, or the message after a press. */
export async function told(interaction: Interaction): Promise<string> {
  const { type } = await interaction.answer();
  const message = await (type === deferredUpdate ? interaction.firstFollowup() : interaction.settled());
  expect((message.flags ?? 0) & MessageFlags.Ephemeral, "the answer is private").not.toBe(0);
  return textOf(message);
}

/** Splits a problem's text into its sentence and its reference. Fails if there is no reference. */
export function problemIn(text: string): { sentence: string; reference: string } {
  const [, sentence = "", reference = ""] =
    /^(?:⚠️|❌) (.+)\n-# Reference: `([0-9a-f]{8})`(?:\nTry again)?$/s.exec(text) ?? [];
  expect(reference, `a sentence and a reference in: ${text}`).not.toBe("");
  return { sentence, reference };
}

/** The sentence of the problem that the person sees. Waits until its reference is in the log. */
export async function sentenceOf(interaction: Interaction, { bot }: { readonly bot: Bot }): Promise<string> {
  const { sentence, reference } = problemIn(await told(interaction));
  await bot.printed(`"reference":"${reference}"`);
  return sentence;
}

/** Posts a public message of the bot with any components, as an old or forged one could have. */
export async function plant(world: World, ...rows: readonly (readonly object[])[]): Promise<ApiMessage> {
  const { discord, guild } = world;
  const response = await fetch(`${discord.apiUrl}/v10/channels/${guild.channel("staff")}/messages`, {
    method: "POST",
    headers: { authorization: `Bot ${discord.token}`, "content-type": "application/json" },
    body: JSON.stringify({
      flags: MessageFlags.IsComponentsV2,
      components: [{ type: 10, content: "From before" }, ...rows.map((components) => ({ type: 1, components }))],
    }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as ApiMessage;
}

/** A button for {@link plant}. */
export const plantedButton = (customId: string) => ({ type: 2, style: 2, label: "Press", custom_id: customId });

export const plantedMenu = (customId: string, value: string) => ({
  type: 3,
  custom_id: customId,
  options: [{ label: "Entry", value }],
});
