import { withDeadline } from "../basics/deadline.ts";
import type { Health } from "../basics/health.ts";
import type { Log } from "../basics/log.ts";
import { partitionCount } from "../storage/polled-servers.ts";
import type { Partitions } from "./partitions.ts";
import { type OtherProcess, type ProcessLease, renewEveryMs } from "./process-lease.ts";

/** What a command in another process changed is heard within this time. Each look reads one small table, 0.1 ms in SQLite. */
const hearEveryMs = 2_000;
/** Those who hurry come together. */
const hurryMs = 50;
/** After a storage that failed, or a lease that was lost. */
const againMs = 500;
/** What is under way then is left: a storage that has not answered by then will not take a release in time either. */
const endMs = 500;

/** Runs `work` again and again, each time after as many milliseconds as it resolved to; never two at once. */
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
    /** At once, where it does not run already. */
    run,
    /** Soon, once for all who ask meanwhile; also where it runs already. */
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
    /** Whether nothing is under way any more; resolves after `withinMs` at the latest. */
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
  /** Which partitions this process would take where they are free: all where it shares with no other process. */
  wanted(partition: number): boolean;
  /** Whether it leaves some to other processes that share. */
  readonly shares: boolean;
  /** Hears of how many partitions this process's share is. */
  onShare?(share: number): void;
  /** Awaited before each renewal: where it throws, the lease ends by itself. */
  assertPrepared(): Promise<void>;
  /** This process polls from now on, or goes on after it did not. */
  onHeld(): void;
  /** Epoch ms; undefined before the first round. */
  roundAt(): number | undefined;
  /** Resolves to whether nothing is under way in a partition any more; within seconds. */
  settles(partition: number): Promise<boolean>;
  readonly log: Log;
}

/** Which partitions this process holds: it renews its lease, takes what is free, and gives back what is more than its share. */
export interface PartitionHolder {
  /** Resolves once it was tried to take partitions, and goes on until it ends. Never rejects. */
  begin(): Promise<void>;
  /** Looks at once what can be taken. */
  hurry(): void;
  notReady: Health["notReady"];
  /** Gives back what has settled; another process takes the rest when the lease is over. Throws `StorageError`. */
  end(): Promise<void>;
}

/** Says who polls, each time that it changes. */
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
    /** Gives whether it did not before. */
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

/** Takes what is free, and gives back what is too much. */
function createTurnover(deps: PartitionHolderDeps, tellings: ReturnType<typeof createTellings>) {
  const { partitions, wanted, shares, log } = deps;
  /** On their way back. */
  const given = new Map<number, Promise<void>>();

  /** What is sent by then is recorded, and the next process looks for the rest. */
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
    // A process that shares with no other polls all servers, or none: so a command of any process says what is true.
    if (isFirst && holder && (!shares || !holder.member?.shares)) return tellings.other(holder);
    const held = new Set(partitions.numbers);
    const free = rows.filter(({ key, value }) => {
      const partition = Number(key);
      return !held.has(partition) && !given.has(partition) && !alive.has(value?.owner ?? "");
    });
    await partitions.take(free.filter(({ key }) => wanted(Number(key))).slice(0, Math.max(share - held.size, 0)));
  }

  /** To be called after each look: says once that this process polls, also where a part of it could not be taken. */
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

  /** Resolves to the milliseconds after which to do it again. */
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
    // A lease that ends soon is looked at when it does.
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
