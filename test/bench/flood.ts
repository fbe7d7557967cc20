import { type Interaction, textOf } from "../sandbox/discord/discord.ts";
import { connectStore, createWorld, run, setAlerts, type World, withManagers } from "../support/world.ts";
import { atMost, line, quantile, type Report, rounded } from "./figure.ts";

const intervalMs = 1_000;
const presses = 400;
const commands = 200;
/** Of so many people, none is slowed down by 10 commands each. */
const quietPeople = 20;
const quietCommands = 200;

/** What a server went through while members of another one did what they may not, as fast as they could. */
interface Flood {
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
async function measureFlood(world: World): Promise<Flood> {
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

/** What a server notices of members of another one who do what they may not, as fast as they can. */
export async function reportFlood(): Promise<Report> {
  await using world = await createWorld();
  await world.start({ LOG_LEVEL: "info" });
  const { rangMs, answered, requestsOfRefused } = await measureFlood(world);
  return {
    title: "A server beside one whose members flood",
    how: `A member of one server presses an alert's button 400 times at once, another one types \`/orders\` 200 times; neither may. Meanwhile an order of another server rings, and its people run ${rounded(answered.length)} commands, one after the other. Polls every ${rounded(intervalMs / 1_000)} s.`,
    figures: [
      line("Alert of the other server, from the order", rangMs, "ms", {
        baseline: `interval ${rounded(intervalMs)} ms`,
        target: atMost(2 * intervalMs),
      }),
      line("Its first answers to commands, median", quantile(answered, 0.5), "ms"),
      line("The same, 99th percentile", quantile(answered, 0.99), "ms", { target: atMost(300) }),
      line("Most requests to Discord for one that was refused", Math.max(...requestsOfRefused), "requests", {
        target: atMost(1),
      }),
    ],
  };
}
