import type { Health } from "../basics/health.ts";
import { withDeadline } from "../basics/limits/deadline.ts";
import type { Log } from "../basics/log.ts";
import { partitionCount } from "../storage/polled-servers.ts";
import type { Partitions } from "./partitions.ts";
import { type OtherProcess, type ProcessLease, renewEveryMs } from "./process-lease.ts";

/** Time between two reads of what other processes changed. Each read is of one small table and takes 0.1 ms in SQLite. */
const hearEveryMs = 2_000;
/** Several calls of `hurry` within this time cause one run. */
const hurryMs = 50;
/** The wait after the storage failed or the lease was lost. */
const againMs = 500;
/**
 * When the process ends, unfinished work is abandoned after this time. A storage that has not answered until then cannot
 * release partitions in time either.
 */
const endMs = 500;

/** Runs `work` again and again, never twice at once. `work` resolves to the milliseconds until its next run. */
function createLoop(work: () => Promise<number>) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isOver = false;
  let isHurried = false;

  function run(): Promise<void> {
    clearTimeout(timer);
    running ??= work().then((nextInMs) => {
      running = undefined;
      const inMs = isHurried ? hurryMs : nextInMs;
      isHurried = false;
      if (!isOver) timer = setTimeout(() => void run(), inMs);
    });
    return running;
  }

  return {
    /** Runs the work now. If it is already running, returns that run. */
    run,
    /** Runs the work soon, once for several calls. If it is already running, it runs once more after that. */
    hurry() {
      if (isHurried || isOver) return;
      isHurried = true;
      if (running) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        isHurried = false;
        void run();
      }, hurryMs);
    },
    /** Ends the loop. Resolves to true if no work is running, or to false after `withinMs`. */
    async end(withinMs: number): Promise<boolean> {
      isOver = true;
      clearTimeout(timer);
      const ended = Promise.resolve(running).then(() => true);
      return withDeadline(ended, withinMs, false);
    },
  };
}

export interface PartitionHolderDeps {
  readonly membership: ProcessLease;
  readonly partitions: Partitions;
  /** Whether this process takes the partition if it is free. Without a queue, it takes every free partition. */
  wanted(partition: number): boolean;
  /** Whether this process is one of several workers, and leaves partitions to the others (QUEUE_URL). */
  readonly shares: boolean;
  /** Called with the number of partitions that this process should hold (its share). */
  onShare?(share: number): void;
  /** Called before each renewal. If it throws, the lease is not renewed and ends. */
  assertPrepared(): Promise<void>;
  /** Called each time this process begins to poll. */
  onHeld(): void;
  /** Returns when the last poll round began (epoch ms), or undefined before the first. */
  roundAt(): number | undefined;
  /** Waits some seconds for unfinished work of a partition. Resolves to whether all of it ended. */
  settles(partition: number): Promise<boolean>;
  readonly log: Log;
}

/**
 * Renews this process's lease (process-lease.ts), takes free partitions, and gives back partitions beyond its share.
 * partitions.ts keeps the partitions that are held; poll-queue/ decides which worker takes which of them.
 */
export interface PartitionHolder {
  /** Begins to take partitions, and goes on until `end`. Resolves after the first attempt. Never rejects. */
  begin(): Promise<void>;
  /** Makes the next attempt to take partitions soon. */
  hurry(): void;
  notReady: Health["notReady"];
  /** Gives back the partitions whose work has ended. Another process takes the others when the lease is over. Throws `StorageError`. */
  end(): Promise<void>;
}

/** Logs which process polls, each time that this changes. */
function createTellings({ log, shares }: Pick<PartitionHolderDeps, "log" | "shares">) {
  let isStandingBy = false;
  let begun = false;
  let isPolling = false;
  return {
    get isStandingBy() {
      return isStandingBy;
    },
    other({ member }: OtherProcess) {
      if (isStandingBy) return;
      isStandingBy = true;
      const message = shares
        ? "a process without QUEUE_URL polls on this storage: workers wait until it ends"
        : "another process polls on this storage already: this one sends no alerts until that one ends";
      log.warn({ host: member?.host, pid: member?.pid }, message);
    },
    /** Records that this process polls. Returns whether it did not poll before. */
    mine(): boolean {
      if (isPolling) return false;
      if (begun || isStandingBy) log.info({}, "this process sends the alerts from now on");
      begun = true;
      isPolling = true;
      isStandingBy = false;
      return true;
    },
    none() {
      isPolling = false;
    },
  };
}

/** Takes free partitions, and gives back partitions beyond the share. */
function createTurnover(deps: PartitionHolderDeps, tellings: ReturnType<typeof createTellings>) {
  const { partitions, wanted, shares, log } = deps;
  /** Partitions that this process is giving back now. */
  const given = new Map<number, Promise<void>>();

  /**
   * Gives a partition back after its messages under way were recorded as sent. If that takes too long, the next process
   * searches for them.
   */
  function giveBack(partition: number): Promise<void> {
    const giving = (async () => {
      partitions.lose(partition);
      await deps.settles(partition);
      await partitions.release([partition]);
    })().finally(() => given.delete(partition));
    given.set(partition, giving);
    return giving;
  }

  function giveBackBeyond(share: number) {
    const { numbers } = partitions;
    const surplus = Math.max(numbers.length - share, 0);
    const order = [...numbers].sort((one, other) => Number(wanted(one)) - Number(wanted(other)));
    for (const partition of order.slice(0, surplus)) {
      giveBack(partition).catch((error: unknown) => {
        log.warn({ err: error, partition }, "a partition could not be given back; it is free when the lease is over");
      });
    }
  }

  async function takeFree(others: readonly OtherProcess[], share: number) {
    if (partitions.numbers.length === partitionCount) return;
    const rows = await partitions.owned();
    await partitions.disown(rows, given);
    const isFirst = partitions.numbers.length === 0;
    const alive = new Map(others.filter(({ believedMs }) => believedMs > 0).map((other) => [other.id, other]));
    const holder = rows.map(({ value }) => alive.get(value?.owner ?? "")).find((one) => one !== undefined);
    // A process without a queue polls all servers or none. Otherwise its commands would show only a part of the alerts.
    if (isFirst && holder && (!shares || !holder.member?.shares)) return tellings.other(holder);
    const held = new Set(partitions.numbers);
    const free = rows.filter(({ key, value }) => {
      const partition = Number(key);
      return !held.has(partition) && !given.has(partition) && !alive.has(value?.owner ?? "");
    });
    await partitions.take(free.filter(({ key }) => wanted(Number(key))).slice(0, Math.max(share - held.size, 0)));
  }

  /** Logs and reports once that this process polls, even if it could take only some partitions. */
  function tell() {
    if (partitions.numbers.length === 0) tellings.none();
    else if (tellings.mine()) deps.onHeld();
  }

  return { giveBackBeyond, takeFree, tell, given: () => Promise.all(given.values()) };
}

export function createPartitionHolder(deps: PartitionHolderDeps): PartitionHolder {
  const { membership, partitions, shares, log } = deps;
  const tellings = createTellings(deps);
  const turnover = createTurnover(deps, tellings);
  let isEnding = false;

  /** Renews the lease, and takes or gives back partitions. Resolves to the milliseconds until the next run. */
  async function beat(): Promise<number> {
    partitions.look();
    await deps.assertPrepared();
    const others = await membership.others();
    if (!(await membership.renew(deps.roundAt()))) {
      partitions.loseAll();
      return againMs;
    }
    if (isEnding) return renewEveryMs;
    const sharing = others.filter(({ believedMs, member }) => believedMs > 0 && member?.shares).length;
    const share = shares ? Math.ceil(partitionCount / (1 + sharing)) : partitionCount;
    deps.onShare?.(share);
    turnover.giveBackBeyond(share);
    await turnover.takeFree(others, share).finally(() => turnover.tell());
    for (const other of others) if (other.believedMs === 0) await membership.removeDead(other);
    // While this process waits for another one to end, it runs again when the other lease is over.
    const ends = others.map(({ believedMs }) => believedMs).filter((ms) => ms > 0);
    return Math.max(Math.min(renewEveryMs, ...(tellings.isStandingBy ? ends : [])), againMs);
  }

  const beats = createLoop(() =>
    beat().catch((error: unknown) => {
      log.warn({ err: error }, "could not renew the lease; trying again");
      return renewEveryMs;
    }),
  );
  const hearing = createLoop(async () => {
    await partitions.hear().catch((error: unknown) => {
      log.warn({ err: error }, "it could not be read what other processes have changed; trying again");
    });
    return hearEveryMs;
  });

  return {
    async begin() {
      await beats.run();
      void hearing.run();
    },
    hurry: beats.hurry,
    notReady() {
      const isWaiting = !membership.isExpired() || tellings.isStandingBy;
      return isWaiting ? undefined : "polls: no lease; does the storage answer?";
    },
    async end() {
      isEnding = true;
      const [isQuiet] = await Promise.all([beats.end(endMs), hearing.end(endMs)]);
      const { numbers } = partitions;
      const settled = await Promise.all(numbers.map((partition) => deps.settles(partition)));
      partitions.loseAll();
      if (!isQuiet) return;
      await turnover.given();
      const free = numbers.filter((_, index) => settled[index]);
      await partitions.release(free);
      if (free.length === numbers.length) await membership.leave();
    },
  };
}
