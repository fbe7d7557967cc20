import type { Log } from "../basics/log.ts";
import { createMutex } from "../basics/mutex.ts";
import type { Guilds } from "./guilds.ts";

/** When the first comparison begins: at random in between, because many processes may start at once. */
const firstAfterMs = { least: 5 * 60_000, most: 15 * 60_000 };
const lostMessage =
  "no key opens this server's API token; put its key back in SECRET_KEYS, or have the store connected again";
const resealedMessage =
  "API tokens that older keys sealed are sealed with the first key; once 0 remain, older keys may be taken out of SECRET_KEYS";
const dayMs = 24 * 60 * 60_000;
/** After a failure. */
const againMs = 60 * 60_000;

export interface ReconcilerDeps {
  readonly guilds: Guilds;
  /** Whether there are older keys, which the operator wants to remove. */
  readonly isRotating: boolean;
  /** All servers that the bot is in, as Discord lists them now; rejects where that is not known for certain. */
  present(): Promise<ReadonlySet<string>>;
  /** Deletes all that is kept for a server. */
  forget(guildId: string): Promise<void>;
  /** Receives the servers whose records say that alerts or digests are on. */
  adopt(guildIds: readonly string[]): Promise<void>;
  readonly log: Pick<Log, "info" | "warn" | "error">;
  /** Chance from 0 to 1. */
  readonly random: () => number;
}

/** Keeps the records of all servers in step with the keys and with Discord. Nothing here rejects: failures are in the log. */
export interface Reconciler {
  /** Seals again what older keys sealed, and logs the servers whose token no key opens. */
  reseal(): Promise<void>;
  /** Compares what is kept with the servers that the bot is in; deletes what belongs to one missing for 7 days. */
  compare(present: ReadonlySet<string>): Promise<void>;
  /** Begins to compare once a day. */
  start(): void;
  stop(): void;
}

/**
 * The gateway says which servers the bot is in only when a session begins, and one that is resumed again and again lasts
 * for months: so Discord is asked once a day. Days are counted on the monotonic clock; one that begins while the
 * machine sleeps begins when it wakes up.
 */
export function createReconciler(deps: ReconcilerDeps): Reconciler {
  const { guilds, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const resealing = createMutex();
  /** Asked for and not done. Each run reads every record, so all callers that come meanwhile share the next one. */
  let isResealDue = false;
  /** Servers without a key, each of which is logged once. */
  let loggedLost: ReadonlySet<string> = new Set();

  const plan = (inMs: number) => {
    if (!isOver) timer = setTimeout(() => void compareDaily(), inMs).unref();
  };

  /** Whether the work came to its end. */
  async function logged(work: () => Promise<void>, failure: string): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      // The storage is closed under what still runs when the process ends.
      if (!isOver) log.error({ err: error }, failure);
      return false;
    }
  }

  async function compare(present: ReadonlySet<string>) {
    const { overdue, polled } = await guilds.reconcile(present);
    for (const guildId of overdue) {
      if (isOver) return;
      // It may have come back while the others were deleted.
      if ((await guilds.get(guildId)).missingSince === undefined) continue;
      await deps.forget(guildId);
      log.info({ guild: guildId }, "the bot has not been in this server for 7 days; its data is deleted");
    }
    await deps.adopt(polled);
  }

  async function reseal() {
    const { renewed, lost, unread } = await guilds.reseal();
    for (const guild of lost) if (!loggedLost.has(guild)) log.warn({ guild }, lostMessage);
    loggedLost = new Set(lost);
    const remaining = lost.length + unread;
    if (deps.isRotating || renewed + remaining > 0) log.info({ renewed, remaining }, resealedMessage);
  }

  const resealDue = () =>
    resealing.run(async () => {
      if (!isResealDue || isOver) return;
      isResealDue = false;
      const isDone = await logged(
        reseal,
        "API tokens could not be sealed with the first key; it is tried again in an hour",
      );
      // Asked for again meanwhile, perhaps.
      isResealDue ||= !isDone;
    });

  async function compareDaily() {
    await resealDue();
    const isDone = await logged(
      async () => compare(await deps.present()),
      "the servers that the bot is in could not be compared with those that are kept; it is tried again in an hour",
    );
    plan(isDone && !isResealDue ? dayMs : againMs);
  }

  return {
    async reseal() {
      isResealDue = true;
      await resealDue();
    },
    async compare(present) {
      await logged(() => compare(present), "servers could not be compared with those that are kept");
    },
    start() {
      const { least, most } = firstAfterMs;
      plan(least + (most - least) * deps.random());
    },
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
