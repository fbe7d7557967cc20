import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { createAlertWorld, guildId } from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";
import { repliesIn } from "../support/routes-world.ts";

const minute = 60_000;
/** By then what is refused is left alone for minutes. */
const turnsInHalfAnHour = 120;

/** A gateway and a worker by a queue, and an order with its alert. */
async function crew() {
  const world = await createAlertWorld();
  world.store.capabilities.note("several", true);
  const hire = hireIn(world);
  const gateway = hire();
  await world.turnOn(gateway, { statuses: ["PENDING", "PAID"] });
  const worker = hire();
  await worker.turn();

  async function alerted() {
    const [order] = world.store.place(1);
    await worker.turn();
    if (order === undefined) throw new Error("no order");
    return order;
  }

  /** Closes the channel for long, to the moment in which it has just refused. */
  async function closed() {
    let refusals = 0;
    world.channel.fault = (call) => {
      if (call !== "send") return;
      refusals++;
      throw new MessengerError("forbidden");
    };
    for (let turn = 0; turn < turnsInHalfAnHour; turn++) await worker.turn();
    for (const before = refusals; refusals === before; ) await worker.turn();
    world.channel.fault = () => undefined;
  }
  return { world, gateway, worker, alerted, closed, hire };
}

// The workers hear of it by a number, as in src/create-polling.ts.
describe("in a channel that the gateway sees mended", () => {
  it("a payment's ring goes at once", async () => {
    const { world, gateway, worker, alerted, closed } = await crew();
    (await alerted()).status = "PAID";
    await closed();
    await gateway.guilds.update(guildId, (guild) => ({ ...guild }));
    await worker.turn();

    expect(repliesIn(world)).toHaveLength(1);
  });

  it("a reminder goes at once", async () => {
    const { world, gateway, worker, alerted, closed } = await crew();
    await worker.alerts.remind(guildId, { afterMs: 5 * minute });
    await alerted();
    await closed();
    await gateway.guilds.update(guildId, (guild) => ({ ...guild }));
    await worker.turn();
    await worker.turn();

    expect(repliesIn(world)).toHaveLength(1);
  });
});

it("a reminder goes at once in a channel of which this process hears that it was mended", async () => {
  const { world, worker, alerted, closed } = await crew();
  await worker.alerts.remind(guildId, { afterMs: 5 * minute });
  await alerted();
  await closed();
  worker.alerts.channelChanged(guildId);
  await worker.turn();
  await worker.turn();

  expect(repliesIn(world)).toHaveLength(1);
});
