import { randomUUID } from "node:crypto";
import { z } from "zod";
import { Mutex } from "../basics/limits/mutex.ts";
import type { Log } from "../basics/log.ts";
import { ConflictError, type GuildLease } from "../orders/guild-lease.ts";
import {
  type Announcement,
  changesTable,
  partitionOf,
  partitions,
  polledTable,
  type RandomValue,
} from "../storage/polled-servers.ts";
import { absent, type Row, type Step, type Table, type TableShape } from "../storage/table.ts";
import type { LeaseStorage, ProcessLease } from "./process-lease.ts";

const ownerSchema = z.object({
  /** The id of the process that polls the partition, as in the table `members`. */
  owner: z.string(),
  /** A new random value each time a process takes the partition. A counter would repeat values if the storage was restored. */
  epoch: z.string(),
});
export type PartitionOwner = z.infer<typeof ownerSchema>;

/** Keys are partition numbers. A partition with a malformed row counts as free. */
export const partitionsTable: TableShape<PartitionOwner> = {
  name: "partitions",
  schema: ownerSchema.catch({ owner: "", epoch: "" }),
  version: 1,
};

/**
 * The servers of this many partitions are read at the same time. In a busy process or with a slow storage, a read may take a
 * second. More reads at once would use all connections to PostgreSQL for so long that the lease could not be renewed.
 */
const readTogether = 16;

export const takenBy = (owner: string): PartitionOwner => ({ owner, epoch: randomUUID() });

interface Taken {
  readonly row: Row<PartitionOwner>;
  /** Ends the epoch (see `GuildLease`) when this process loses the partition. */
  readonly over: AbortController;
  readonly untilOver: AbortSignal;
  servers: Map<string, Row<RandomValue>>;
  /** The version of the partition's row in `changesTable` when `servers` was read. */
  heard: string | undefined;
}

const isHeld = ({ over }: Taken) => !over.signal.aborted;

export interface HeldPartitionsDeps {
  readonly storage: LeaseStorage;
  readonly membership: Pick<ProcessLease, "id" | "isExpired">;
  readonly log: Log;
  readonly signal: AbortSignal;
  onServers(guildIds: readonly string[]): void;
  /** Another process changed, added or removed these polled servers. Empty if it changed only servers that are not polled. */
  onChanged(guildIds: readonly string[]): void;
  onLost(partition: number): void;
}

/**
 * The partitions (groups of servers) that this process holds. When a process changes a server's data, `announcementOf`
 * (storage/polled-servers.ts) changes a row of the server and a row of its partition. So the process that polls the server
 * notices the change.
 */
export class HeldPartitions {
  private readonly deps: HeldPartitionsDeps;
  private readonly owners: Table<PartitionOwner>;
  private readonly changes: Table<RandomValue>;
  /** A lost partition stays here until its row changes. Until then, this process may record which messages it has sent. */
  private readonly taken = new Map<number, Taken>();
  private readonly reads = new Mutex();
  private readonly over = AbortSignal.abort(new ConflictError());

  constructor(deps: HeldPartitionsDeps) {
    this.deps = deps;
    this.owners = deps.storage.table(partitionsTable);
    this.changes = deps.storage.table(changesTable);
  }

  private serversOf(partition: number): Table<RandomValue> {
    return this.deps.storage.table(polledTable, String(partition));
  }

  /** Ends every epoch if this process's lease is over. Called before every request, so it must be fast. */
  look() {
    if (!this.deps.membership.isExpired() || ![...this.taken.values()].some(isHeld)) return;
    this.deps.log.warn(
      {},
      "the lease expired: the process was suspended, the storage did not answer, or the clock was set",
    );
    this.loseAll();
  }

  loseAll() {
    for (const partition of this.taken.keys()) this.lose(partition);
  }

  lose(partition: number) {
    const taken = this.taken.get(partition);
    if (!taken || !isHeld(taken)) return;
    taken.over.abort(new ConflictError());
    this.deps.onLost(partition);
  }

  get numbers(): readonly number[] {
    this.look();
    return [...this.taken].flatMap(([partition, taken]) => (isHeld(taken) ? [partition] : []));
  }

  guildIds(): string[] {
    return this.numbers.flatMap((partition) => [...(this.taken.get(partition)?.servers.keys() ?? [])]);
  }

  private held(partition: number): Taken | undefined {
    this.look();
    const taken = this.taken.get(partition);
    return taken && isHeld(taken) ? taken : undefined;
  }

  leaseOf(guildId: string): GuildLease {
    const partition = partitionOf(guildId);
    return {
      signal: () => this.held(partition)?.over.signal ?? this.over,
      untilOver: () => this.held(partition)?.untilOver ?? this.over,
      fence: () => {
        const held = this.held(partition);
        const server = held?.servers.get(guildId) ?? absent(guildId);
        return held && [this.owners.expect(held.row), this.serversOf(partition).expect(server)];
      },
      ownerFence: () => {
        const taken = this.taken.get(partition);
        return taken && [this.owners.expect(taken.row)];
      },
      refused: () => this.refused(partition),
    };
  }

  private async refused(partition: number) {
    try {
      this.keep(await this.owners.read([String(partition)]));
      await this.hear();
    } catch (error) {
      this.deps.log.warn({ err: error }, "could not read which processes poll; trying again");
    }
  }

  /**
   * Must be called before the rows of the processes are read. A process writes its own row before it takes a partition, so the
   * later read finds the row of each owner.
   */
  async owned(): Promise<Row<PartitionOwner>[]> {
    const rows = await this.owners.read(partitions.map(String));
    this.keep(rows);
    return rows;
  }

  private keep(rows: readonly Row<PartitionOwner>[]) {
    for (const { key, version } of rows) {
      const partition = Number(key);
      if (this.taken.get(partition)?.row.version === version) continue;
      this.lose(partition);
      this.taken.delete(partition);
    }
  }

  /**
   * Takes all these partitions, or none if another process was faster. Then reads the servers of each partition. A partition
   * whose servers cannot be read is not polled, and the method throws after all reads.
   */
  async take(rows: readonly Row<PartitionOwner>[]): Promise<void> {
    if (rows.length === 0) return;
    const { storage, membership } = this.deps;
    const steps = rows.map((row) => this.owners.put(row, takenBy(membership.id)));
    if (!(await storage.commit(steps))) return;
    // Read before the servers, so that `hear` notices a change between the two reads.
    const changes = await this.changes.read(steps.map(({ key }) => key));
    const read = async (step: Step, index: number) => {
      const partition = Number(step.key);
      const servers = await this.readServers(partition);
      const row = this.owners.written(step);
      const over = new AbortController();
      const untilOver = AbortSignal.any([this.deps.signal, over.signal]);
      this.taken.set(partition, { row, over, untilOver, servers, heard: changes[index]?.version });
      this.deps.onServers([...servers.keys()]);
    };
    const readings: PromiseSettledResult<void>[] = [];
    for (let at = 0; at < steps.length; at += readTogether) {
      const some = steps.slice(at, at + readTogether).map((step, index) => read(step, at + index));
      readings.push(...(await Promise.allSettled(some)));
    }
    const failed = readings.find((reading) => reading.status === "rejected");
    if (failed) throw failed.reason;
  }

  /** Frees partitions whose row still names this process, although it lost them or could not read their servers. */
  async free(rows: readonly Row<PartitionOwner>[]): Promise<void> {
    const { storage, membership } = this.deps;
    const mine = rows.filter(({ key, value }) => value?.owner === membership.id && !this.held(Number(key)));
    if (mine.length > 0) await storage.commit(mine.map((row) => this.owners.remove(row)));
  }

  private async readServers(partition: number): Promise<Map<string, Row<RandomValue>>> {
    const servers = new Map<string, Row<RandomValue>>();
    for await (const row of this.serversOf(partition).rows()) servers.set(row.key, row);
    return servers;
  }

  /** Reports to `onChanged` which servers other processes have changed since the last call. */
  hear(): Promise<void> {
    return this.reads.run(async () => {
      for await (const { key, version } of this.changes.rows()) {
        const held = this.held(Number(key));
        if (held && held.heard !== version) await this.hearOf(Number(key), held, version);
      }
    });
  }

  private async hearOf(partition: number, held: Taken, version: string | undefined) {
    const servers = await this.readServers(partition);
    const before = held.servers;
    held.servers = servers;
    held.heard = version;
    const known = [...new Set([...before.keys(), ...servers.keys()])];
    this.deps.onChanged(known.filter((id) => before.get(id)?.version !== servers.get(id)?.version));
  }

  /** Keeps `hear` from reporting this process's own change. */
  announced({ server, before, after }: Announcement) {
    const held = this.held(partitionOf(server.key));
    if (held === undefined) return;
    if (server.value) held.servers.set(server.key, server);
    else held.servers.delete(server.key);
    // If the versions differ, another process has written in between, and `hear` must notice it.
    if (held.heard === before.version) held.heard = after.version;
  }
}
