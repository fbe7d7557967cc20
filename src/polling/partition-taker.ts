import { withDeadline } from "../basics/limits/deadline.ts";
import type { Log } from "../basics/log.ts";
import { partitionCount } from "../storage/polled-servers.ts";
import type { Row } from "../storage/table.ts";
import type { HeldPartitions, PartitionOwner } from "./held-partitions.ts";
import type { PartitionQueue } from "./partition-queue.ts";
import { type OtherProcess, type ProcessLease, renewEveryMs } from "./process-lease.ts";

/** Time between two reads of what other processes changed. A read of the table `polled-marks` takes 0.1 ms in SQLite. */
const hearEveryMs = 2_000;
/** The wait after the lease was lost. Also the shortest wait between two attempts to take partitions, except after `hurry`. */
const againMs = 500;
/**
 * A partition that was free for this long is taken without its job. The queue usually gives a job to a worker within seconds,
 * but not while its Redis cannot be reached or refuses writes. This time is longer than the 7 s for which a worker keeps the
 * job of a partition that it cannot take (partition-queue.ts).
 */
const withoutJobAfterMs = 10_000;
/** When the process ends: the longest wait for renewals and reads that are under way. */
const endMs = 500;

/** Never runs `work` twice at once, or after `end`. `work` resolves to the milliseconds until its next run. */
function createLoop(work: () => Promise<number>) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isOver = false;
  let isHurried = false;

  function run(): Promise<void> | undefined {
    clearTimeout(timer);
    if (running || isOver) return running;
    isHurried = false;
    running = work().then((nextInMs) => {
      running = undefined;
      if (!isOver) timer = setTimeout(() => void run(), isHurried ? 0 : nextInMs);
    });
    return running;
  }

  return {
    run,
    /** Runs `work` now, or once more if it is running. */
    hurry() {
      isHurried = true;
      if (!running) void run();
    },
    /** Resolves to false if work is still running after `withinMs`. */
    async end(withinMs: number): Promise<boolean> {
      isOver = true;
      clearTimeout(timer);
      const ended = Promise.resolve(running).then(() => true);
      return withDeadline(ended, withinMs, false);
    },
  };
}

export interface PartitionTakerDeps {
  readonly membership: ProcessLease;
  readonly partitions: HeldPartitions;
  /** Undefined without QUEUE_URL. Then this process takes all partitions or none. */
  readonly queue: Pick<PartitionQueue, "has" | "share"> | undefined;
  /** Called before each renewal. If it throws, the lease is not renewed. */
  assertPrepared(): Promise<void>;
  /** Called each time this process begins to poll. */
  onHeld(): void;
  /** When the last poll round began (epoch ms). */
  roundAt(): number | undefined;
  /** Waits some seconds for unfinished work of a partition. Resolves to true if all of it ended. Never rejects. */
  settles(partition: number): Promise<boolean>;
  readonly log: Log;
}

/** Renews this process's lease (process-lease.ts), takes free partitions, and gives back partitions beyond its share. */
export class PartitionTaker {
  private readonly deps: PartitionTakerDeps;
  /** Partitions that this process no longer polls. Each is given back when the work on it has ended, or after some seconds. */
  private readonly given = new Map<number, Promise<unknown>>();
  /** A loop of its own, because with a slow storage {@link taking} may last longer than a lease. */
  private readonly beats: ReturnType<typeof createLoop>;
  private readonly taking: ReturnType<typeof createLoop>;
  private readonly hearing: ReturnType<typeof createLoop>;
  /** The free partitions at the last run, and when this process first found them free (monotonic ms). */
  private freeSince: ReadonlyMap<string, number> = new Map();
  /** `waiting`: other processes poll, and this one stands by. `lost`: this process polled, and lost its partitions. */
  private state: "begun" | "waiting" | "polling" | "lost" = "begun";

  constructor(deps: PartitionTakerDeps) {
    this.deps = deps;
    const { log, partitions } = deps;
    const warned = (message: string) => (error: unknown) => {
      log.warn({ err: error }, message);
      return renewEveryMs;
    };
    this.beats = createLoop(() => this.beat().catch(warned("could not renew the lease; trying again")));
    this.taking = createLoop(() => this.take().catch(warned("could not take or give back servers; trying again")));
    const deaf = warned("could not read the changes of other processes; trying again");
    this.hearing = createLoop(() => partitions.hear().then(() => hearEveryMs, deaf));
  }

  /** Resolves after the first attempt to take partitions. Never rejects. */
  async begin(): Promise<void> {
    await this.beats.run();
    await this.taking.run();
    void this.hearing.run();
  }

  hurry() {
    this.taking.hurry();
  }

  notReady(): string | undefined {
    return this.deps.membership.isExpired()
      ? "polls: this process has no lease; perhaps the storage does not answer"
      : undefined;
  }

  private hasJob(partition: number): boolean {
    return this.deps.queue?.has(partition) ?? true;
  }

  private async beat(): Promise<number> {
    const { membership, partitions, assertPrepared, roundAt } = this.deps;
    partitions.look();
    await assertPrepared();
    if (await membership.renew(roundAt())) return renewEveryMs;
    // Partitions that are being taken now belong to the lost lease, too.
    await this.taking.run();
    partitions.loseAll();
    return againMs;
  }

  private async take(): Promise<number> {
    const { membership, partitions, queue } = this.deps;
    if (membership.isExpired()) return againMs;
    // A process that holds all partitions has none to take. If another process has one of them, the lease or the condition of the
    // next commit shows it.
    const rows = partitions.numbers.length === partitionCount ? [] : await partitions.owned();
    const others = await membership.others();
    const alive = others.filter(({ believedMs }) => believedMs > 0);
    const sharing = alive.filter(({ value }) => value?.shares).length;
    const share = queue ? Math.ceil(partitionCount / (1 + sharing)) : partitionCount;
    queue?.share(share);
    this.giveBackBeyond(share);
    await this.takeFree(rows, alive, share).finally(() => this.note());
    for (const other of others) if (!alive.includes(other)) await membership.removeDead(other);
    // If another process does not renew its lease, the next run is at the moment when that lease ends.
    return Math.max(Math.min(renewEveryMs, ...alive.map(({ believedMs }) => believedMs)), againMs);
  }

  /** Stops polling the partitions beyond `share`, first those without a job. A later run frees them. */
  private giveBackBeyond(share: number) {
    const { partitions, settles } = this.deps;
    const order = partitions.numbers.toSorted((one, other) => Number(this.hasJob(other)) - Number(this.hasJob(one)));
    for (const partition of order.slice(share)) {
      partitions.lose(partition);
      const settled = settles(partition).then(() => {
        this.given.delete(partition);
        this.hurry();
      });
      this.given.set(partition, settled);
    }
  }

  /**
   * Takes the free partitions whose jobs this process has, even beyond its share: the next run gives back the surplus. While it
   * has less than its share, also takes partitions that were free for {@link withoutJobAfterMs}.
   */
  private async takeFree(rows: readonly Row<PartitionOwner>[], alive: readonly OtherProcess[], share: number) {
    const { membership, partitions, queue } = this.deps;
    await partitions.free(rows.filter(({ key }) => !this.given.has(Number(key))));
    // `rows` still names this process as the owner of the partitions that were just freed. So this run leaves them to others.
    const living = new Set([membership.id, ...alive.map(({ key }) => key)]);
    const free = rows.filter(({ value }) => !living.has(value?.owner ?? ""));
    const now = performance.now();
    this.freeSince = new Map(free.map(({ key }) => [key, this.freeSince.get(key) ?? now]));
    const held = partitions.numbers.length;
    const owners = new Set(rows.map(({ value }) => value?.owner));
    const holder = alive.find(({ key }) => owners.has(key));
    // A process without a queue polls all servers or none: only the queue divides the partitions among processes.
    if (held === 0 && holder && !(queue && holder.value?.shares)) return this.standBy(holder);
    const own = free.filter(({ key }) => this.hasJob(Number(key)));
    const left = free.filter(
      (row) => !own.includes(row) && now - (this.freeSince.get(row.key) ?? now) >= withoutJobAfterMs,
    );
    const room = Math.max(share - held - own.length, 0);
    await partitions.take([...own, ...left.slice(0, room)]);
  }

  private standBy({ value }: OtherProcess) {
    if (this.state === "waiting") return;
    this.state = "waiting";
    const message = this.deps.queue
      ? "a process without QUEUE_URL polls on this storage: workers wait until it ends"
      : "another process polls on this storage already: this one sends no alerts until that one ends";
    this.deps.log.warn({ host: value?.host, pid: value?.pid }, message);
  }

  /** Calls `onHeld` when this process begins to poll, even if it took only some partitions. */
  private note() {
    const before = this.state;
    if (this.deps.partitions.numbers.length === 0) {
      if (before === "polling") this.state = "lost";
      return;
    }
    this.state = "polling";
    if (before === "polling") return;
    if (before !== "begun") this.deps.log.info({}, "this process sends the alerts from now on");
    this.deps.onHeld();
  }

  /**
   * Gives back the partitions whose work has ended, or none if the storage fails or does not answer in time. When the lease is
   * over, another process takes the partitions that were not given back.
   */
  async end(): Promise<void> {
    const { partitions, settles, log } = this.deps;
    const loops = [this.beats, this.taking, this.hearing];
    const isQuiet = (await Promise.all(loops.map((loop) => loop.end(endMs)))).every(Boolean);
    const { numbers } = partitions;
    const settled = await Promise.all(numbers.map((partition) => settles(partition)));
    partitions.loseAll();
    if (!isQuiet) return;
    await Promise.all(this.given.values());
    await this.leave(new Set(numbers.filter((_, index) => !settled[index]))).catch((error: unknown) => {
      log.warn({ err: error }, "could not give back servers; other processes poll them when the lease is over");
    });
  }

  private async leave(unsettled: ReadonlySet<number>) {
    const { membership, partitions } = this.deps;
    await partitions.free((await partitions.owned()).filter(({ key }) => !unsettled.has(Number(key))));
    if (unsettled.size === 0) await membership.leave();
  }
}
