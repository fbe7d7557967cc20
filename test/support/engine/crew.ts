import { randomUUID } from "node:crypto";
import { createLog } from "../../../src/operations/log.ts";
import { HeldPartitions } from "../../../src/polling/held-partitions.ts";
import { partitionOf } from "../../../src/storage/polled-servers.ts";
import { type AlertWorld, type CommitHooks, createAlertWorld, guildId } from "./alert-world.ts";

const log = createLog("silent");
const nothing = () => undefined;

/** Returns a function that starts a process. These processes share the world's server, and take turns to poll it. */
export function hireIn(world: AlertWorld) {
  let holder: HeldPartitions | undefined;
  return (commits: CommitHooks = {}) => {
    const { storage } = world;
    const partition = partitionOf(guildId);
    const partitions: HeldPartitions = new HeldPartitions({
      storage,
      membership: { id: randomUUID(), isExpired: () => false },
      log,
      signal: new AbortController().signal,
      onServers: nothing,
      onChanged: (guildIds) => life.alerts.changedElsewhere(guildIds),
      onLost: () => life.alerts.forgetMemory(),
    });
    const life = world.start(undefined, undefined, partitions.leaseOf(guildId), {
      commits,
      onAnnounced: (announcement) => partitions.announced(announcement),
    });
    const process = {
      ...life,
      async take() {
        if (holder !== partitions) holder?.lose(partition);
        holder = partitions;
        if (partitions.numbers.includes(partition)) return;
        await partitions.take((await partitions.owned()).filter(({ key }) => Number(key) === partition));
      },
      hear: () => partitions.hear(),
      lose: () => partitions.lose(partition),
      async turn() {
        await process.take();
        await partitions.hear();
        await life.alerts.poll(guildId);
        await life.alerts.settled();
        world.pass(15_000);
      },
    };
    return process;
  };
}

/** Makes a world with a gateway, in which people use commands, and a worker, which may poll. Alerts are off. */
export async function createCrew(commitsOfWorker?: CommitHooks) {
  const world = await createAlertWorld();
  const hire = hireIn(world);
  return { world, gateway: hire(), worker: hire(commitsOfWorker) };
}
