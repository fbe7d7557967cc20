import type { SlotHold } from "../../src/poll-queue/slot-hold.ts";
import { type createAlertWorld, guildId } from "./alert-world.ts";
import { createPretendNotes } from "./pretend-notes.ts";
import { newProcess } from "./sharing-process.ts";

type World = Awaited<ReturnType<typeof createAlertWorld>>;
/** Stands in for some of the tables of one life. */
export type Wrap = Parameters<World["start"]>[1];

/** Gives what starts one process after another that share the world's server by a queue, and take turns with it. */
export function hireIn(world: World, redis = createPretendNotes()) {
  let holder: SlotHold | undefined;
  return (wrap?: Wrap) => {
    const wire = redis.connect();
    const { rights, right, turn } = newProcess(wire);
    const life = world.start(undefined, wrap, right);
    // As in src/create-polling.ts.
    life.guilds.onChanging((id) => rights.changed(id));
    life.guilds.onChange((id) => void rights.changed(id).catch(() => undefined));
    return {
      ...life,
      wire,
      /** Takes the slot from whoever had it, and polls; so many ms pass then. */
      async turn(ms = 15_000) {
        holder?.end();
        const hold = await turn((begun) => {
          holder = begun;
        });
        await life.alerts.poll(guildId);
        await life.alerts.settled(guildId);
        hold.end();
        world.pass(ms);
      },
    };
  };
}
