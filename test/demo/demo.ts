import { textOf } from "../sandbox/discord/discord.ts";
import { readable } from "../sandbox/readable.ts";
import { arrivalEveryMs } from "./page/actions.ts";
import { servePage } from "./page/serve-page.ts";
import { startDemo } from "./start-demo.ts";

const say = (text: string) => console.log(text);
const indent = (text: string, edge: string) =>
  text
    .split("\n")
    .map((line) => `  ${edge} ${line}`)
    .join("\n");
const clock = () => new Date().toLocaleTimeString("en-GB");

const demo = await startDemo();
const page = await servePage(demo);
let ending: Promise<void> | undefined;

function end(code: number): Promise<void> {
  ending ??= Promise.all([page.close(), demo.close()]).then(() => process.exit(code));
  return ending;
}
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    say("\nEnding: the bot finishes what it has begun.");
    void end(0);
  });
}

try {
  say("Shopbell, the real bot, between a pretend Discord and a pretend store on this machine. Ctrl-C ends it.\n");
  say(`See it and use it in a browser:  ${page.url}\n`);
  await demo.startBot();
  say("In #staff the owner types /store connect, pastes the API token, chooses #new-orders, presses Send a sample:");
  say(indent(readable(await demo.setUp(), demo.guild), "»"));
  say(`\n#new-orders (an order arrives every ${arrivalEveryMs / 1_000} s)\n`);
  const channelId = demo.guild.channel("new-orders");
  const show = (what: string) => (stored: { channelId: string; message: Parameters<typeof textOf>[0] }) => {
    if (stored.channelId !== channelId) return;
    say(`${clock()}  Shopbell ${what}\n${indent(readable(textOf(stored.message), demo.guild), "│")}\n`);
  };
  demo.discord.on("message", show("posts"));
  demo.discord.on("edit", show("changes its message to"));
  demo.arrive(arrivalEveryMs);
} catch (error) {
  if (ending === undefined) {
    console.error(error instanceof Error ? error.message : error);
    await end(1);
  }
}
