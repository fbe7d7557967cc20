import { expect, it } from "vitest";
import { createAlertWorld, guildId } from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";
import { repliesIn } from "../support/rules-world.ts";

const minute = 60_000;

it.each([1, 8])("%i workers that poll a server by turns remind it by the next tick", async (count) => {
  const world = await createAlertWorld();
  const hire = hireIn(world);
  const crew = Array.from({ length: count }, () => hire());
  const [first] = crew;
  if (!first) throw new Error("nobody is there");
  await world.turnOn(first);
  await first.alerts.remind(guildId, { afterMs: 5 * minute });
  world.store.place(1);
  const begun = world.now();
  for (let tick = 0; repliesIn(world).length === 0 && tick < 100; tick++) {
    // What this one writes makes all others forget what they know.
    if (tick === 19) world.store.place(1);
    await crew[tick % count]?.turn();
  }
  const [reminder] = repliesIn(world);
  expect((reminder?.at ?? Number.POSITIVE_INFINITY) - begun).toBeLessThan(5 * minute + 30_000);
});
