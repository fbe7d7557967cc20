import { describe, expect, it } from "vitest";
import type { GuildLease } from "../../src/orders/guild-lease.ts";
import { fails } from "../support/alert-lives.ts";
import {
  createAlertWorld,
  guildId,
  idsOf,
  type Life,
  once,
  pollFor,
  rightIn,
  timesPosted,
} from "../support/alert-world.ts";
import { sized } from "../support/sized.ts";

// Several processes on one storage, of which one has the lease at a time.

const minute = 60_000;

/** A lease that can be lost and taken again. */
function createLease(): GuildLease & { lose(): void; gain(): void } {
  let epoch = 0;
  let isHeld = false;
  let over = new AbortController();
  return {
    ...rightIn(
      () => (isHeld ? epoch : undefined),
      () => over.signal,
    ),
    lose() {
      isHeld = false;
      over.abort();
    },
    gain() {
      isHeld = true;
      epoch++;
      over = new AbortController();
    },
  };
}

/** Process A polls, and B may take over. Minutes have passed: Discord has forgotten nonces. */
async function twoProcesses() {
  const world = await createAlertWorld();
  world.channel.nonces = false;
  const leases = [createLease(), createLease()] as const;
  const [a, b] = leases.map((lease) => world.start(undefined, undefined, lease)) as [Life, Life];
  leases[0].gain();
  await world.turnOn(a);
  await pollFor(world, a, minute);
  return { world, a, b, leases };
}

describe("the lease", () => {
  it("that went to another process and came back sends nothing twice (0.1.0: 3 of 4 orders)", async () => {
    const { world, a, b, leases } = await twoProcesses();
    fails(world, "send", "uncertain");
    const ids = idsOf(world.store.place(1));
    await a.alerts.poll(guildId);
    ids.push(...idsOf(world.store.place(3)));
    await a.alerts.poll(guildId);
    world.channel.fault = () => undefined;
    for (const [lost, taken, life] of [
      [0, 1, b],
      [1, 0, a],
    ] as const) {
      leases[lost].lose();
      leases[taken].gain();
      world.pass(10 * minute);
      await pollFor(world, life, minute);
      expect(timesPosted(world.channel, ids)).toEqual([1, 1, 1, 1]);
    }
  });

  it("that comes to a process which answered a command before sends what waits since then", async () => {
    const { world, a, b, leases } = await twoProcesses();
    await b.alerts.status(guildId);
    fails(world, "send", "uncertain");
    const ids = idsOf(world.store.place(1));
    await a.alerts.poll(guildId);
    await a.alerts.idle();
    world.channel.fault = () => undefined;
    leases[0].lose();
    leases[1].gain();
    await pollFor(world, b, minute);
    expect(timesPosted(world.channel, ids)).toEqual(once(ids));
  });

  it("that was lost at any step of an alert is not used any more (0.1.0: sent twice)", async () => {
    for (let step = 0; ; step += sized(3, 1)) {
      const { world, b, leases } = await twoProcesses();
      const lease = createLease();
      lease.gain();
      let steps = 0;
      // At this step process A is suspended, B takes over and works everything off, and A goes on.
      const suspended = async () => {
        if (lease.epoch() === undefined || steps++ !== step) return;
        lease.lose();
        leases[1].gain();
        world.pass(30 * minute);
        await pollFor(world, b, minute);
      };
      const a = world.start(undefined, undefined, lease);
      world.commits.before = suspended;
      leases[0].lose();
      world.channel.fault = (call) => (call === "send" ? suspended() : undefined);
      const ids = idsOf(world.store.place(7));
      await pollFor(world, a, 2 * minute);
      const isOver = steps <= step;
      lease.lose();
      leases[1].gain();
      ids.push(...idsOf(world.store.place(1)));
      await pollFor(world, b, 2 * minute);
      expect(timesPosted(world.channel, ids), `suspended at step ${step}`).toEqual(once(ids));
      if (!isOver) continue;
      expect(step).toBeGreaterThan(4);
      break;
    }
  });
});
