import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { become, fails, holdFirst, pollOnce, ready, storeFails } from "../support/alert-lives.ts";
import {
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  once,
  polledIn,
  pollFor,
  timesPosted,
} from "../support/alert-world.ts";
import { marksOf } from "../support/marks-of.ts";

const minute = 60_000;

it.each([1, 8])("an alert that Discord refuses, among %i, does not delay the others, now or later", async (count) => {
  const { world, life } = await ready();
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
  expect(timesPosted(world.channel, others)).toEqual(once(others));
  expect((await life.alerts.status(guildId)).planned).toBe(1);

  world.channel.fault = () => undefined;
  await pollFor(world, world.start(), minute);
  expect(timesPosted(world.channel, [refused])).toEqual([1]);
});

it("an alert that Discord refuses for a text of others is posted without that text", async () => {
  const { world, life } = await ready();
  const ids = idsOf(world.store.place(1));
  const { messages } = world.channel;
  world.channel.fault = (call, when) => {
    if (call !== "send" || when !== "after" || !JSON.stringify(messages.at(-1)?.payload).includes("Product")) return;
    messages.pop();
    throw new MessengerError("refused");
  };
  await pollOnce(life);
  expect(timesPosted(world.channel, ids)).toEqual([1]);
});

it("a status that is added takes nothing from those that were announced before", async () => {
  const { world, life } = await ready();
  const paid = idsOf(world.store.place(230));
  become(world, "PAID");
  world.pass(minute);
  storeFails(world, "unavailable");
  await pollOnce(life);
  const pending = idsOf(world.store.place(2));
  world.store.fault = () => undefined;
  await life.alerts.turnOn(guildId, life.connected, { channelId, statuses: ["PENDING", "PAID"] });
  pending.push(...idsOf(world.store.place(1)));
  await pollFor(world, life, 2 * minute);
  expect(timesPosted(world.channel, pending)).toEqual([1, 1, 1]);
  expect(timesPosted(world.channel, paid).filter((times) => times > 0)).toEqual([]);
});

it("alerts that are turned on while digests are turned off are polled, whichever commit is slow", async () => {
  const isPolled: boolean[] = [];
  for (let isReached = true; isReached; ) {
    const world = await createAlertWorld();
    let commits = Number.NEGATIVE_INFINITY;
    let turningOn: Promise<unknown> | undefined;
    const life = world.start(undefined, undefined, undefined, {
      commits: {
        async before() {
          if (commits++ !== isPolled.length) return;
          turningOn = life.alerts.turnOn(guildId, life.connected, { channelId });
          // As far as it comes without this commit.
          for (let moment = 0; moment < 20; moment++) await turn();
        },
      },
    });
    await life.guilds.connect(guildId, "token-1234");
    await life.alerts.setDigest(guildId, { channelId, every: "day", hour: 8, timezone: "UTC" });
    commits = 0;
    await life.alerts.turnDigestOff(guildId);
    isReached = turningOn !== undefined;
    await turningOn;
    await life.alerts.idle();
    if (isReached) isPolled.push((await polledIn(world.storage)).includes(guildId));
  }
  expect(isPolled.length).toBeGreaterThan(1);
  expect(isPolled).not.toContain(false);
});

// What is being sent by a server's record when a person changes the record.

async function readyToChange(statuses = ["PENDING", "PAID"]) {
  const { world, life } = await ready({ statuses });
  const language = (to: "es" | "pt-BR") =>
    life.guilds.update(guildId, (guild) => ({ ...guild, settings: { ...guild.settings, language: to } }));
  fails(world, "own", "forbidden");
  return { world, life, language };
}

it("a change of settings does not delay an alert that waits for its turn at Discord", async () => {
  const { world, life, language } = await readyToChange();
  const ids = idsOf(world.store.place(1));
  const { waits, goOn } = holdFirst(world, "send", "before");
  await life.alerts.poll(guildId);
  await waits;
  await language("es");
  goOn();
  await life.alerts.idle();
  expect(timesPosted(world.channel, ids)).toEqual(once(ids));
  expect(JSON.stringify(world.channel.messages.at(-1)?.payload)).toContain("Pendiente");
});

it("a change of settings is no failure, however often it calls off what waits", async () => {
  const { world, life, language } = await readyToChange();
  const ids = idsOf(world.store.place(1));
  let changes = 0;
  world.channel.fault = async (call, when) => {
    if (call !== "send" || when !== "before" || changes >= 10) return;
    changes++;
    await language(changes % 2 ? "es" : "pt-BR");
  };
  await pollOnce(life);
  expect(changes).toBe(10);
  expect(timesPosted(world.channel, ids)).toEqual(once(ids));
});

it("a change of settings leaves an edit to its answer, and the edit is made again by the new settings", async () => {
  const { world, life, language } = await readyToChange(["PENDING", "PAID", "SHIPPED"]);
  world.store.place(1);
  await pollFor(world, life, minute);
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
    // An edit that did not wait for the one before would be made now.
    for (let turns = 0; turns < 50; turns++) await turn();
  }
  goOn();
  await life.alerts.idle();
  await pollFor(world, life, minute);
  expect(JSON.stringify(alert?.payload)).toContain("Enviado");
});
