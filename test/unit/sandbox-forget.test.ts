import { afterEach, beforeEach, expect, it } from "vitest";
import { startStore } from "../sandbox/store/start-store.ts";
import { type Bench, setUp } from "./sandbox-discord-bench.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await setUp();
});
afterEach(() => bench.tearDown());

it("the pretend Discord forgets requests and messages from before a time, and keeps the others", async () => {
  const { discord } = bench;
  const channel = discord.addGuild().channel("staff");
  const post = (content: string) => bench.raw("POST", `/channels/${channel}/messages`, { content });
  await post("old");
  const last = discord.requests.at(-1)?.at ?? 0;
  await expect.poll(() => Date.now()).toBeGreaterThan(last);
  const before = Date.now();
  await post("new");

  discord.forget(before);

  expect(discord.messages(channel).map(({ content }) => content)).toEqual(["new"]);
  expect(discord.requests.map(({ body }) => body)).toEqual([{ content: "new" }]);
  discord.forget(Number.POSITIVE_INFINITY);
  expect([discord.messages(channel), discord.requests]).toEqual([[], []]);
});

it("the pretend Discord takes what was forgotten for no first message of a nonce", async () => {
  const { discord } = bench;
  const channel = discord.addGuild().channel("staff");
  const post = () =>
    bench.raw("POST", `/channels/${channel}/messages`, { content: "again", nonce: "1", enforce_nonce: true });
  await post();
  await post();
  expect(discord.messages(channel)).toHaveLength(1);

  discord.forget(Number.POSITIVE_INFINITY);

  await post();
  expect(discord.messages(channel)).toHaveLength(1);
});

it("the pretend store forgets requests, and a removed order is in no list", async () => {
  const store = await startStore();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => store.close());
  const [gone, kept] = store.placeOrders(2);
  const ask = async (path: string) => {
    const response = await fetch(`${store.url}/open-api/checkout/order${path}`, {
      headers: { authorization: `Bearer ${store.token}` },
    });
    return { status: response.status, text: await response.text() };
  };
  store.ordering = "by-id";
  await ask("");

  store.removeOrder(gone?.id ?? "");
  store.forget(Number.POSITIVE_INFINITY);

  expect(store.requests).toEqual([]);
  const { text } = await ask("");
  expect([text.includes(gone?.id ?? "-"), text.includes(kept?.id ?? "-")]).toEqual([false, true]);
  expect(await ask(`/${gone?.id}`)).toMatchObject({ status: 404 });
});
