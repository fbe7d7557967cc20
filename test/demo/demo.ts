import { readable } from "../sandbox/readable.ts";
import { servePage } from "./page/serve-page.ts";
import { startDemo } from "./start-demo.ts";

const say = (text: string) => console.log(text);
const clock = () => new Date().toLocaleTimeString("en-GB");

if (process.argv[2] === "--help" || process.argv[2] === "-h") {
  say(
    "npm run demo runs the real bot between a simulated Discord and a simulated store on this machine, and prints the address of a web page to use them. It takes no argument, and Ctrl-C ends it.",
  );
  process.exit(0);
}
const demo = await startDemo();
const page = await servePage(demo);
let ending: Promise<void> | undefined;

function end(code: number): Promise<void> {
  ending ??= Promise.all([page.close(), demo.close()]).then(() => process.exit(code));
  return ending;
}
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => {
    say("\nEnding: the bot finishes what it has begun.");
    void end(0);
  });
}

try {
  say("Shopbell, the real bot, between a simulated Discord and a simulated store on this machine. Ctrl-C ends it.\n");
  const channelId = demo.guild.channel("new-orders");
  demo.discord.on("message", ({ channelId: where, ephemeralFor, message }) => {
    if (where !== channelId || ephemeralFor !== undefined || message.author.id !== demo.discord.botUserId) return;
    // The line that a locked phone shows.
    say(`${clock()}  ${readable(message.content, demo.guild).split("\n", 1)[0]}`);
  });
  await demo.startBot();
  say("In #staff the owner types /store connect, pastes the API token, chooses #new-orders, presses Send a sample:\n");
  await demo.setUp();
  say(`\nThe next one rings when you place an order on the page.\nSee it and use it in a browser:  ${page.url}\n`);
} catch (error) {
  if (ending === undefined) {
    console.error(error instanceof Error ? error.message : error);
    await end(1);
  }
}
