import { type ApiMessage, buttonsOf, type Interaction, textOf } from "../sandbox/discord/discord.ts";
import type { World } from "../support/world.ts";
import type { Tenant } from "./tenants.ts";

/** A look at the shop that a person takes now and then. */
export const looks = ["orders", "order", "products", "alerts status", "open"] as const;
export type Look = (typeof looks)[number];

/** Discord takes a first answer within 3 s; the rest is the way there and back. */
const firstAnswerMs = 3_500;
/** A person waits 12 s for the store at most; Discord's own slowness comes on top. */
const settledMs = 20_000;
/** People who look at the same time. When all wait, nobody else begins. */
const mostAtOnce = 40;
const mostTold = 10;

/** People who press commands and buttons, and what they get. */
export class People {
  private readonly world: World;
  private readonly life: () => number;
  private readonly busy = new Set<Promise<void>>();
  /** Commands and presses that Discord passed on. */
  sent = 0;
  answered = 0;
  /** Answers that say what went wrong. */
  sorry = 0;
  /** Was under way when the process was killed. */
  cut = 0;
  unanswered = 0;
  /** Which ones, the first ten. */
  readonly told: string[] = [];

  /** @param life changes when the bot is killed, and when it is back */
  constructor(world: World, life: () => number) {
    this.world = world;
    this.life = life;
  }

  begin(tenant: Tenant, by: string, look: Look): void {
    if (this.busy.size >= mostAtOnce) return;
    const work = this.take(tenant, by, look).finally(() => this.busy.delete(work));
    this.busy.add(work);
  }

  async idle(): Promise<void> {
    await Promise.all(this.busy);
  }

  private async take({ guild, shop, channel }: Tenant, by: string, look: Look): Promise<void> {
    const { discord } = this.world;
    const who = guild.person(by);
    const type = (name: string, subcommand?: string, options = {}) =>
      this.ask(guild.id, `/${name}`, () =>
        discord.command(who, { guildId: guild.id, channelId: guild.channel("staff"), name, subcommand, options }),
      );
    const press = (message: ApiMessage | undefined, label: string) => {
      const button = message && buttonsOf(message).find((one) => one.label === label && !one.disabled);
      if (message === undefined || button === undefined) return;
      return this.ask(guild.id, `${label} of ${textOf(message).slice(0, 30)}`, () =>
        discord.press(who, message, label),
      );
    };
    if (look === "alerts status") await type("alerts", "status");
    if (look === "order") await type("order", undefined, { id: shop.orders.at(-1)?.id ?? "" });
    if (look === "open") await press(discord.messages(channel).at(-1), "Open");
    if (look === "orders" || look === "products") await press(await press(await type(look), "Next"), "Previous");
  }

  /** The message that it ends in, whether as the answer or beside it; undefined where none came. */
  private async ask(guildId: string, what: string, act: () => Interaction): Promise<ApiMessage | undefined> {
    const life = this.life();
    this.sent += 1;
    try {
      const interaction = act();
      await interaction.answer(firstAnswerMs);
      const message = await Promise.any([interaction.settled(settledMs), interaction.nextFollowup(settledMs)]);
      this.answered += 1;
      if (/^(?:⚠️|❌)/.test(textOf(message))) this.sorry += 1;
      return message;
    } catch (error) {
      if (life !== this.life()) {
        this.cut += 1;
        return undefined;
      }
      this.unanswered += 1;
      if (this.told.length < mostTold) this.told.push(`${what} in server ${guildId}: ${error}`);
      return undefined;
    }
  }
}
