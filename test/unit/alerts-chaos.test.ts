import fc from "fast-check";
import { expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { StoreError } from "../../src/store-api/store-error.ts";
import { createAlertWorld, guildId, killAt, timesPosted } from "../support/alert-world.ts";
import { sized } from "../support/sized.ts";

const healing = 12;

/** What happens in one stretch of a life of the bot. */
const stretch = fc.record({
  orders: fc.integer({ min: 0, max: 8 }),
  /** Steps until the process is killed. */
  killedAfter: fc.option(fc.integer({ min: 0, max: 14 }), { nil: Number.POSITIVE_INFINITY }),
  polls: fc.integer({ min: 1, max: 3 }),
  discord: fc.constantFrom("fine", "fine", "lost request", "lost response", "forbidden", "channel_gone", "refused"),
  store: fc.constantFrom("fine", "fine", "unavailable", "timeout", "rate_limited", "malformed"),
  leaves: fc.nat({ max: 3 }),
});

it(
  "loses and doubles no alert, whatever is killed, lost or refused on the way",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stretch, { minLength: 1, maxLength: 8 }), async (stretches) => {
        const world = await createAlertWorld();
        // Durable state alone has to do, without Discord's help.
        world.channel.nonces = false;
        await world.turnOn(world.start());
        const placed: string[] = [];
        for (const { orders, killedAfter, polls, discord, store, leaves } of stretches) {
          placed.push(...world.store.place(orders).map(({ id }) => id));
          for (const order of world.store.orders.slice(0, leaves)) {
            if (timesPosted(world.channel, [order.id])[0] === 1) order.status = "PAID";
          }
          world.channel.fault = (call, when) => {
            if (discord === "fine" || (call === "own" && discord !== "forbidden" && discord !== "channel_gone")) return;
            if (discord === "lost response" ? when === "after" : when === "before") {
              throw new MessengerError(discord.startsWith("lost") ? "uncertain" : (discord as "refused"));
            }
          };
          world.store.fault = () => {
            if (store !== "fine") throw new StoreError(store, "GET orders");
          };
          const killer = killAt(killedAfter);
          const life = world.start(killer);
          for (let poll = 0; poll < polls; poll++) {
            await life.alerts.poll(guildId);
            await life.alerts.idle();
            world.pass(15_000);
          }
        }
        world.channel.fault = () => undefined;
        world.store.fault = () => undefined;
        const life = world.start();
        for (let poll = 0; poll < healing; poll++) {
          await life.alerts.poll(guildId);
          await life.alerts.idle();
          world.pass(60_000);
        }
        expect(timesPosted(world.channel, placed)).toEqual(placed.map(() => 1));
        expect(world.channel.ownerNotices.length).toBeLessThanOrEqual(stretches.length * 2);
      }),
      { numRuns: sized(50, 2_000) },
    );
  },
  sized(120_000, 1_800_000),
);
