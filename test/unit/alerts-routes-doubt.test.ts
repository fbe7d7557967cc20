import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/alerts/messenger.ts";
import { channelId, guildId, pollFor } from "../support/alert-world.ts";
import { begin, keysChannel, linesIn, repliesIn, rule, setStatus } from "../support/routes-world.ts";

const minute = 60_000;

describe("a payment for which a rule rang", () => {
  it("is not rung for again by what the order becomes while its alert is owed", async () => {
    const statuses = ["PENDING", "PAID", "DELIVERED"];
    const { world, life } = await begin({ statuses }, rule({ status: "PAID" }));
    world.channel.fault = (call, when, place) => {
      if (call === "send" && when === "before" && place === channelId) throw new MessengerError("forbidden");
    };
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    for (const status of ["PAID", "DELIVERED"]) {
      setStatus(world, order?.id ?? "", status);
      await pollFor(world, life, minute);
    }
    world.channel.fault = () => undefined;
    life.alerts.channelMended(guildId);
    await pollFor(world, life, 10 * minute);

    expect([linesIn(world, keysChannel), repliesIn(world).length]).toEqual([1, 0]);
  });
});
