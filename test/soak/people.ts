import { type ApiMessage, buttonsOf, type Interaction } from "../sandbox/discord/discord.ts";
import type { Tenant } from "../support/process/tenants.ts";
import { run } from "../support/process/world.ts";

/** Commands that people type. */
export const looks = ["orders", "order", "products", "alerts status"] as const;

/** Discord takes a first answer within 3 s. The rest is for the network. */
const firstAnswerMs = 3_500;
/** A person waits at most 12 s for the store; a slow Discord comes on top. */
const settledMs = 20_000;

async function answerOf(interaction: Interaction): Promise<ApiMessage> {
  await interaction.answer(firstAnswerMs);
  return Promise.any([interaction.settled(settledMs), interaction.firstFollowup(settledMs)]);
}

/** Types a command, and presses **Next** below a list. Rejects if there is no answer. */
export async function look(tenant: Tenant, by: string, command: (typeof looks)[number]): Promise<void> {
  const { discord, guild, shop } = tenant;
  const options: Record<string, string> = command === "order" ? { id: shop.orders.at(-1)?.id ?? "" } : {};
  const answer = await answerOf(run(tenant, command, options, by));
  const hasNext = buttonsOf(answer).some(({ label, disabled }) => label === "Next" && !disabled);
  if (hasNext) await answerOf(discord.press(guild.person(by), answer, "Next"));
}
