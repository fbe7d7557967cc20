import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { fails, holdFirst, pollOnce, ready } from "../support/alert-lives.ts";
import { guildId, idsOf, once, pollFor, timesPosted } from "../support/alert-world.ts";

// What is under way by a server's record when somebody changes it.

const minute = 60_000;

async function readyToChange(statuses = ["PENDING", "PAID"]) {
  const { world, life } = await ready({ statuses });
  const language = (to: "es" | "pt-BR") =>
    life.guilds.update(guildId, (guild) => ({ ...guild, settings: { ...guild.settings, language: to } }));
  fails(world, "own", "forbidden");
  return { world, life, language };
}

describe("a change of settings", () => {
  it("does not hold an alert that waits for its turn, also where the bot may not read the history", async () => {
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

  it("is no fault, however often it calls off what waits", async () => {
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

  it("leaves an edit to its answer, and makes it again by what is set then", async () => {
    const { world, life, language } = await readyToChange(["PENDING", "PAID", "SHIPPED"]);
    world.store.place(1);
    await pollFor(world, life, minute);
    const alert = world.channel.messages.at(-1);
    const { waits, goOn } = holdFirst(world, "edit", "before");
    for (const order of world.store.orders) order.status = "PAID";
    await life.alerts.poll(guildId);
    await waits;
    await language("es");
    for (const order of world.store.orders) order.status = "SHIPPED";
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
});
