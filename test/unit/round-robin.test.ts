import { describe, expect, test } from "vitest";
import { createRoundRobin } from "../../src/discord/interactions/round-robin.ts";
import { turnsDuring } from "../support/event-loop-turns.ts";

describe("taking turns", () => {
  test("begins one piece of work after another, the servers by turns, each in its own sequence", async () => {
    const rotation = createRoundRobin();
    const begun: string[] = [];
    const ask = (key: string, name: string) => rotation(key).then(() => begun.push(name));
    const busy = Array.from({ length: 5 }, (_, index) => ask("busy", `busy ${index}`));

    await Promise.all([...busy, ask("quiet", "quiet 0"), ask("other", "other 0")]);

    expect(begun).toEqual(["busy 0", "busy 1", "quiet 0", "other 0", "busy 2", "busy 3", "busy 4"]);
  });

  test("lets the event loop turn between two beginnings", async () => {
    const beginnings = 20;
    const rotation = createRoundRobin();

    const { turns } = await turnsDuring(() => Promise.all(Array.from({ length: beginnings }, () => rotation("one"))));

    // At least one turn between two beginnings. The last turn may not have been counted yet.
    expect(turns).toBeGreaterThanOrEqual(beginnings - 2);
  });

  test("does not delay a single piece of work", async () => {
    const rotation = createRoundRobin();
    let isOn = false;

    rotation("one").then(() => {
      isOn = true;
    });
    await Promise.resolve();
    await Promise.resolve();

    expect(isOn).toBe(true);
  });
});
