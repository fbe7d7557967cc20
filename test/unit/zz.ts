import { setUp } from "./sandbox-discord-bench.ts";
const b = await setUp();
b.discord.on("gateway", (e) => console.log("gw", e));
const [one, two] = [await b.connect(), await b.connect()];
console.log(b.discord.gateway.connections());
b.discord.addGuild();
await new Promise((r) => setTimeout(r, 1500));
console.log(one.seen, two.seen, b.discord.requests.map(r=>[r.method,r.path,r.status]));
await b.tearDown();
