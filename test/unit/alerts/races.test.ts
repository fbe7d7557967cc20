import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { outboxTable } from "../../../src/orders/outbox-row.ts";
import { MessengerError } from "../../../src/outbox/messenger.ts";
import { become, fails, holdFirst, holdPage, pollOnce, ready, storeFails } from "../../support/engine/alert-lives.ts";
import {
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  type Life,
  once,
  polledIn,
  timesPosted,
} from "../../support/engine/alert-world.ts";
import { createCrew } from "../../support/engine/crew.ts";
import { atEachStep } from "../../support/engine/killer.ts";
import { marksOf } from "../../support/marks-of.ts";

const minute = 60_000;
const setPrivacy = ({ guilds }: Life, privacy: "none" | "full") =>
  guilds.update(guildId, (guild) => ({ ...guild, settings: { ...guild.settings, privacy } }));

it.each([1, 8])("an alert that Discord refuses, among %i, does not delay the others, now or later", async (count) => {
  const { world, life, poll, mend, alertsOf, planned } = await ready();
  world.channel.nonces = false;
  const [refused = "", ...others] = idsOf(world.store.place(count));
  const { messages } = world.channel;
  world.channel.fault = (call, when) => {
    if (call !== "send" || when !== "after" || !marksOf(messages.at(-1)?.payload.components).join().includes(refused))
      return;
    messages.pop();
    throw new MessengerError("refused");
  };
  await pollOnce(life);
  others.push(...idsOf(world.store.place(1)));
  world.pass(1_000);
  await pollOnce(life);
  expect([alertsOf(others), await planned()]).toEqual([once(others), 1]);

  mend();
  await poll(1, world.start());
  expect(alertsOf([refused])).toEqual([1]);
});

it("an alert that Discord refuses for a text of others is posted without that text, and says so (before: no items)", async () => {
  const { world, place, alertsOf } = await ready();
  const { messages } = world.channel;
  world.channel.fault = (call, when) => {
    if (call !== "send" || when !== "after" || !JSON.stringify(messages.at(-1)?.payload).includes("Product")) return;
    messages.pop();
    throw new MessengerError("refused");
  };
  expect(alertsOf(await place(1, 0.25))).toEqual([1]);
  const text = JSON.stringify(messages.at(-1)?.payload);
  expect(text).toContain("Discord does not accept the texts of this order here.");
  expect(text).not.toMatch(/No items|—|Payment/);
});

it("a role that is removed while /alerts set reads the store stays removed", async () => {
  const { world, life } = await ready({ roleId: "3000000000000000001" });
  const { listOrders } = world.store;
  const [asked, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  world.store.listOrders = async (query, signal) => {
    asked.resolve();
    await answers.promise;
    return listOrders(query, signal);
  };
  const setting = life.alerts.turnOn(guildId, life.connected, { channelId, statuses: ["PENDING", "PAID"] });
  await asked.promise;
  await life.guilds.update(guildId, ({ alerts, ...guild }) => ({
    ...guild,
    alerts: alerts && { ...alerts, roleId: undefined },
  }));
  answers.resolve();
  await setting;
  expect((await life.guilds.get(guildId)).alerts).toMatchObject({ statuses: ["PENDING", "PAID"] });
  expect((await life.guilds.get(guildId)).alerts?.roleId).toBeUndefined();
});

it("a customer is not stored from a page that was being read when the server chose to show no customers", async () => {
  const { world, life } = await ready();
  await setPrivacy(life, "full");
  fails(world, "send", "forbidden");
  const [order] = world.store.place(1);
  const page = holdPage(world);
  const polling = life.alerts.poll(guildId);
  await page.waits;
  await setPrivacy(life, "none");
  page.goOn();
  await polling;
  await pollOnce(life);

  const row = await world.storage.table(outboxTable, guildId).get(`alert/${order?.id}`);
  expect(row).toMatchObject({ kind: "alert" });
  expect(row).not.toHaveProperty("customer");
});

it("a customer is not stored from an order that was being read by its id when the server chose to show no customers", async () => {
  const { world, life, place, poll } = await ready();
  await setPrivacy(life, "full");
  await place();
  fails(world, "edit", "uncertain");
  become(world, "PROCESSING");
  const { getOrder } = world.store;
  world.store.getOrder = async (id, signal) => {
    const order = await getOrder(id, signal);
    world.store.getOrder = getOrder;
    await setPrivacy(life, "none");
    return order;
  };
  await poll(1);

  const row = await world.storage.table(outboxTable, guildId).get(`edit/${world.channel.messages.at(-1)?.id}`);
  expect(row).toMatchObject({ kind: "edit" });
  expect(row).not.toHaveProperty("customer");
});

it("a status that is added takes nothing from those that were announced before", async () => {
  const { world, life, poll, alertsOf } = await ready();
  const paid = idsOf(world.store.place(230));
  become(world, "PAID");
  world.pass(minute);
  storeFails(world, "unavailable");
  await pollOnce(life);
  const pending = idsOf(world.store.place(2));
  world.store.fault = () => undefined;
  await life.alerts.turnOn(guildId, life.connected, { channelId, statuses: ["PENDING", "PAID"] });
  pending.push(...idsOf(world.store.place(1)));
  await poll(2);
  expect(alertsOf(pending)).toEqual([1, 1, 1]);
  expect(alertsOf(paid)).not.toContain(1);
});

it("alerts that are turned on while digests are turned off are polled, whichever commit is slow", async () => {
  const commits = await atEachStep(1, async (isNow, label) => {
    const world = await createAlertWorld();
    let isTurningOff = false;
    let turningOn: Promise<unknown> | undefined;
    const life = world.start(undefined, undefined, undefined, {
      commits: {
        async before() {
          if (!isTurningOff || !isNow()) return;
          turningOn = life.alerts.turnOn(guildId, life.connected, { channelId });
          // Goes on as far as possible without this commit.
          for (let moment = 0; moment < 20; moment++) await turn();
        },
      },
    });
    await life.guilds.connect(guildId, "token-1234");
    await life.alerts.setDigest(guildId, { channelId, every: "day", hour: 8, timezone: "UTC" });
    isTurningOff = true;
    await life.alerts.turnDigestOff(guildId);
    await turningOn;
    await life.alerts.idle();
    if (turningOn) expect(await polledIn(world.storage), label).toContain(guildId);
  });
  expect(commits).toBeGreaterThan(0);
});

// A person changes the server's record while something is sent that depends on it.

async function readyToChange(statuses = ["PENDING", "PAID"]) {
  const scene = await ready({ statuses });
  const { world, life } = scene;
  const language = (to: "es" | "pt-BR") =>
    life.guilds.update(guildId, (guild) => ({ ...guild, settings: { ...guild.settings, language: to } }));
  fails(world, "postedSince", "forbidden");
  return { ...scene, language };
}

it("a change of settings delays no alert that waits for its turn, which is posted by the new settings, however often", async () => {
  const { world, life, language, alertsOf } = await readyToChange();
  const ids = idsOf(world.store.place(1));
  let changes = 0;
  world.channel.fault = async (call, when) => {
    if (call !== "send" || when !== "before" || changes >= 10) return;
    changes++;
    await language(changes % 2 ? "es" : "pt-BR");
  };
  await pollOnce(life);
  expect([changes, alertsOf(ids)]).toEqual([10, [1]]);
  expect(JSON.stringify(world.channel.messages.at(-1)?.payload)).toContain("Pendente");
});

it("a change of settings leaves an edit to its answer, and the edit is made again by the new settings", async () => {
  const { world, life, language, place, poll } = await readyToChange(["PENDING", "PAID", "SHIPPED"]);
  await place();
  const alert = world.channel.messages.at(-1);
  const { waits, goOn } = holdFirst(world, "edit", "before");
  become(world, "PAID");
  await life.alerts.poll(guildId);
  await waits;
  await language("es");
  become(world, "SHIPPED");
  for (let polls = 0; polls < 6; polls++) {
    world.pass(15_000);
    await life.alerts.poll(guildId);
    // If an edit did not wait for the one before, it would be made now.
    for (let turns = 0; turns < 50; turns++) await turn();
  }
  goOn();
  await life.alerts.idle();
  await poll(1);
  expect(JSON.stringify(alert?.payload)).toContain("Enviado");
});

it("an edit that waits for its turn at Discord when customers are to be hidden hides them in the end", async () => {
  const { world, life, place, poll } = await ready();
  await setPrivacy(life, "full");
  await place();
  const alert = world.channel.messages.at(-1);
  const { waits, goOn } = holdFirst(world, "edit", "before");
  become(world, "PAID");
  world.pass(15_000);
  await life.alerts.poll(guildId);
  await waits;
  await setPrivacy(life, "none");
  goOn();
  await poll(2);
  expect(JSON.stringify(alert?.payload)).toContain("Paid");
  expect(JSON.stringify(alert?.payload)).not.toContain("ana@example.com");
});

// After the answer to `/alerts set`, no send to the former channel begins.

const elsewhere = "3000000000000000003";
async function readyToMove() {
  const scene = await ready({ statuses: ["PENDING", "PAID"] });
  const { world, life } = scene;
  const move = () => life.alerts.turnOn(guildId, life.connected, { channelId: elsewhere });
  const countIn = (place: string) => world.channel.messages.filter((message) => message.place === place).length;
  return { ...scene, move, countIn };
}

describe("alerts that are set to another channel while one waits for its turn at Discord", () => {
  it("are posted there, though the bot may not read the one before", async () => {
    const { world, life, move, poll, alertsOf } = await readyToMove();
    const ids = idsOf(world.store.place(2));
    fails(world, "postedSince", "forbidden", { place: channelId });
    const { waits, goOn } = holdFirst(world, "send", "before");
    await life.alerts.poll(guildId);
    await waits;
    await move();
    goOn();
    await life.alerts.idle();
    await poll(1);

    expect(alertsOf(ids, elsewhere)).toEqual([1, 1]);
    expect((await life.alerts.status(guildId)).lastError).toBeUndefined();
  });

  it.each([true, false])("are posted once where that one had left (the history may be read: %s)", async (isRead) => {
    const { world, life, move, poll, alertsOf } = await readyToMove();
    const ids = idsOf(world.store.place(1));
    if (!isRead) fails(world, "postedSince", "forbidden", { place: channelId });
    const { waits, goOn } = holdFirst(world, "send", "after");
    await life.alerts.poll(guildId);
    await waits;
    await move();
    world.pass(3_000);
    await life.alerts.poll(guildId);
    goOn();
    await poll(10);

    expect(alertsOf(ids)).toEqual([1]);
  });

  it.each(["forbidden", "channel_gone"] as const)(
    "are not posted again if the bot may have posted them in a channel that is %s, until that is known",
    async (code) => {
      const { world, life, move, poll, mend, alertsOf, planned } = await readyToMove();
      fails(world, "send", "uncertain", { when: "after", place: channelId });
      const ids = idsOf(world.store.place(1));
      await pollOnce(life);
      world.channel.fault = (_, __, place) => {
        if (place === channelId) throw new MessengerError(code);
      };
      await move();
      await poll(10);
      const again = code === "channel_gone" ? 1 : 0;
      expect([alertsOf(ids, elsewhere), await planned()]).toEqual([[again], 1 - again]);

      mend();
      await poll(10);
      expect([alertsOf(ids, channelId), alertsOf(ids, elsewhere), await planned()]).toEqual([[1], [again], 0]);
    },
  );

  it("are posted there alone where another process set them, and one is sent again", async () => {
    const { world, worker, gateway } = await createCrew();
    await worker.take();
    await world.turnOn(worker);
    await worker.hear();
    world.pass(1_000);
    const ids = idsOf(world.store.place(1));
    fails(world, "send", "uncertain");
    await pollOnce(worker);
    world.channel.fault = () => undefined;
    await gateway.alerts.turnOn(guildId, gateway.connected, { channelId: elsewhere });
    // The worker does not know of the change yet.
    world.pass(1_999);
    await pollOnce(worker);
    for (let turns = 0; turns < 4; turns++) await worker.turn();

    expect(timesPosted(world.channel, ids, channelId)).toEqual([0]);
    expect(timesPosted(world.channel, ids, elsewhere)).toEqual([1]);
  });

  it("leave the answer to an alert that is refused as a reply where the alert stands no more", async () => {
    const { world, life, move, countIn, place, poll } = await readyToMove();
    await place();
    become(world, "PAID");
    let moved: Promise<unknown> | undefined;
    world.channel.fault = async (call, when) => {
      if (call !== "send" || when !== "before" || moved) return;
      moved = move();
      await moved;
      throw new MessengerError("forbidden");
    };
    await pollOnce(life);
    await moved;
    const before = countIn(channelId);
    await poll(1);

    expect(countIn(channelId)).toBe(before);
    const rings = world.channel.messages.filter(({ payload }) => JSON.stringify(payload).includes("💰"));
    expect(rings.map(({ place }) => place)).toEqual([elsewhere]);
  });
});
