import { type Interaction, textOf } from "../sandbox/discord/discord.ts";
import { connectStore, run, setAlerts, type World, withManagers } from "./world.ts";

const presses = 400;
const commands = 200;
/** Of so many people, none is slowed down by 10 commands each. */
const quietPeople = 20;
const quietCommands = 200;

/** What a server went through while members of another one did what they may not, as fast as they could. */
export interface Flood {
  /** How long the quiet server's order took to ring, in ms. */
  readonly rangMs: number;
  /** How long each of its commands took to its first answer, in ms, shortest first. */
  readonly answered: readonly number[];
  /** Requests that each refused interaction cost, the most first. */
  readonly requestsOfRefused: readonly number[];
}

/** Two members who may nothing: one presses an alert's button 400 times at once, the other types a command 200 times. */
function flood(world: World): Interaction[] {
  const { discord, guild } = world;
  const channel = guild.channel("new-orders");
  const alert = discord.messages(channel).at(-1);
  if (alert === undefined) throw new Error("there is no alert to press a button of");
  return [
    ...Array.from({ length: presses }, () => discord.press(guild.person("member"), alert, "Open")),
    ...Array.from({ length: commands }, () =>
      discord.command(guild.person("stranger"), {
        guildId: guild.id,
        channelId: guild.channel("staff"),
        name: "orders",
        force: true,
      }),
    ),
  ];
}

function ringing({ discord, guild }: World, id: string) {
  const isThere = () =>
    discord.messages(guild.channel("new-orders")).some((shown) => textOf(shown).includes(id.slice(0, 8)));
  return discord.waitFor(() => isThere() || undefined, `order ${id} rang`);
}

/** @param world of which the bot runs, with polls every second */
export async function measureFlood(world: World): Promise<Flood> {
  const people = [{ name: "owner" }, { name: "staff", roles: ["Staff"] }, { name: "member" }, { name: "stranger" }];
  const noisy: World = { ...world, guild: world.discord.addGuild({ people }) };
  await connectStore(noisy);
  await setAlerts(noisy);
  await ringing(noisy, world.store.placeOrder().id);

  const quiet = withManagers(world, quietPeople);
  const shop = world.store.addShop();
  await connectStore(quiet, shop.token);
  await setAlerts(quiet);

  const heard = world.discord.requests.length;
  const from = performance.now();
  const refused = flood(noisy);
  const { id } = shop.placeOrder();
  const rang = ringing(quiet, id).then(() => performance.now() - from);
  const answered: number[] = [];
  while (answered.length < quietCommands) {
    const { afterMs } = await run(quiet, "orders", {}, `manager${answered.length % quietPeople}`).answer();
    answered.push(afterMs);
  }
  const rangMs = await rang;
  await Promise.all(refused.map((interaction) => interaction.answer().catch(() => undefined)));
  const paths = world.discord.requests.slice(heard).map(({ path }) => path);
  const cost = ({ token }: Interaction) => paths.filter((path) => path.includes(token)).length;
  return {
    rangMs,
    answered: answered.sort((a, b) => a - b),
    requestsOfRefused: refused.map(cost).sort((a, b) => b - a),
  };
}
