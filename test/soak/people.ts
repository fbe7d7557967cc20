import { type ApiMessage, buttonsOf, type Interaction } from "../sandbox/discord/discord.ts";
import type { Tenant } from "../support/tenants.ts";
import { run } from "../support/world.ts";

/** **open** presses the button of the newest alert. The others are commands. */
export const looks = ["orders", "order", "products", "alerts status", "open"] as const;

/** Discord takes a first answer within 3 s. The rest is for the network. */
const firstAnswerMs = 3_500;
/** A person waits at most 12 s for the store; a slow Discord comes on top. */
const settledMs = 20_000;
/** People who act at the same time. If all wait, nobody else begins. */
const maxAtOnce = 40;

export class People {
  private readonly busy = new Set<Promise<void>>();
  answered = 0;
  /** A sentence for each command or press without an answer. */
  readonly unanswered: string[] = [];

  begin(tenant: Tenant, by: string, look: (typeof looks)[number]): void {
    if (this.busy.size >= maxAtOnce) return;
    const work = this.act(tenant, by, look).finally(() => this.busy.delete(work));
    this.busy.add(work);
  }

  async idle(): Promise<void> {
    await Promise.all(this.busy);
  }

  private async act(tenant: Tenant, by: string, look: (typeof looks)[number]): Promise<void> {
    const { discord, guild, shop } = tenant;
    const press = (message: ApiMessage | undefined, label: string) => {
      if (!message || !buttonsOf(message).some((button) => button.label === label && !button.disabled))
        return undefined;
      return this.ask(`${label} in ${guild.id}`, () => discord.press(guild.person(by), message, label));
    };
    if (look === "open") return void (await press(discord.messages(guild.channel("new-orders")).at(-1), "Open"));
    const options: Record<string, string> = look === "order" ? { id: shop.orders.at(-1)?.id ?? "" } : {};
    const list = await this.ask(`/${look} in ${guild.id}`, () => run(tenant, look, options, by));
    await press(await press(list, "Next"), "Previous");
  }

  /** Undefined if no answer came. */
  private async ask(what: string, act: () => Interaction): Promise<ApiMessage | undefined> {
    try {
      const interaction = act();
      await interaction.answer(firstAnswerMs);
      const message = await Promise.any([interaction.settled(settledMs), interaction.nextFollowup(settledMs)]);
      this.answered += 1;
      return message;
    } catch (error) {
      this.unanswered.push(`${what}: ${error}`);
      return undefined;
    }
  }
}
