import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/alerts/messenger.ts";
import { channelId, guildId, idsOf, killAt, once, pollFor, timesPosted } from "../support/alert-world.ts";
import {
  begin,
  feed,
  feedChannel,
  keysChannel,
  linesIn,
  repliesIn,
  rule,
  setRoutes,
  setStatus,
} from "../support/routes-world.ts";

const paidChannel = "2000000000000000005";
const minute = 60_000;

describe("a rule for a status", () => {
  it("fires for an order that enters its status while its alert is owed, in the stead of the ring", async () => {
    const { world, life } = await begin(
      { statuses: ["PENDING", "PAID"] },
      rule({ id: "paid", status: "PAID" }),
      feed({ status: "PAID" }),
    );
    world.channel.fault = (call, when, place) => {
      if (call === "send" && when === "before" && place === channelId) throw new MessengerError("forbidden");
    };
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    setStatus(world, order?.id ?? "", "PAID");
    await pollFor(world, life, minute);
    world.channel.fault = () => undefined;
    life.alerts.channelMended(guildId);
    await pollFor(world, life, 10 * minute);
    expect(timesPosted(world.channel, [order?.id ?? ""], channelId)).toEqual([1]);
    expect([linesIn(world, keysChannel), linesIn(world, feedChannel), repliesIn(world).length]).toEqual([1, 1, 0]);
  });
});
