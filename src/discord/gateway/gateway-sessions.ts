import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import type { SessionInfo } from "@discordjs/ws";
import { z } from "zod";
import type { Log } from "../../basics/log.ts";
import { absent, type Row, type Storage, type TableShape } from "../../storage/table.ts";

const keptSchema = z.object({
  applicationId: z.string(),
  shardCount: z.int().positive(),
  sessionId: z.string(),
  resumeUrl: z.string().refine((value) => URL.canParse(value)),
  /** Of the last event that was handed on: what Discord sent after it is sent again. */
  sequence: z.int().nonnegative(),
  /** Which process writes here: a random mark. */
  process: z.string(),
  /** Epoch ms of that process. */
  writtenAt: z.number(),
});
type KeptSession = Readonly<z.infer<typeof keptSchema>>;

/** The sessions with Discord's gateway, by the ids of shards. A malformed one is none: a new one is begun. */
export const gatewayTable: TableShape<KeptSession | null> = {
  name: "gateway",
  schema: keptSchema.nullable().catch(null),
  version: 1,
};

/** How often the place in the stream of events is written. What a killed process was handed since then comes again. */
const writeEveryMs = 1_000;
/**
 * The first answer to a repeated interaction is refused (40060) before any work is done, but that is a request in vain. So
 * the place of an interaction is written soon, after its first answer has left.
 */
const interactionMs = 10;

/**
 * Whether a session's address, as the storage has it, belongs to the gateway that Discord's API names: the bot's token is
 * sent there. Discord resumes on other hosts of the same domain (`gateway-us-east1-b.discord.gg`).
 */
function isOfGateway(resumeUrl: string, gatewayUrl: string): boolean {
  if (!URL.canParse(gatewayUrl)) return false;
  const [resumed, named] = [new URL(resumeUrl), new URL(gatewayUrl)];
  if (resumed.protocol !== named.protocol || resumed.port !== named.port) return false;
  if (resumed.hostname === named.hostname) return true;
  const domain = /^[^.]+(\.[^.]+\..+)$/.exec(named.hostname)?.[1];
  return domain !== undefined && isIP(named.hostname) === 0 && resumed.hostname.endsWith(domain);
}

/** The session of one shard. */
interface ShardSession {
  /** As `@discordjs/ws` has it; its sequence may be ahead of `handedOn` for a moment. */
  session: SessionInfo | undefined;
  handled: number;
  isChanged: boolean;
  /** The row as this process read or wrote it last; undefined where that is not certain. */
  row: Row<KeptSession | null> | undefined;
  /** This process wrote it: another process's mark in it means from then on that the session was taken over. */
  isWritten: boolean;
  /** Another process has the session and its row. */
  isTakenOver: boolean;
}

const newSession = (): ShardSession => ({
  session: undefined,
  handled: 0,
  isChanged: false,
  row: undefined,
  isWritten: false,
  isTakenOver: false,
});

/** Keeps the sessions of this process's shards, so that the next process resumes them. */
export interface GatewaySessions {
  /**
   * Takes over what is kept for these shards of so many, and resolves to when it was written, epoch ms by shard id. Never
   * rejects: without a session a new one is begun.
   *
   * @param gatewayUrl where Discord's API says that the gateway is
   */
  load(shardIds: readonly number[], shardCount: number, gatewayUrl: string): Promise<ReadonlyMap<number, number>>;
  /** For `retrieveSessionInfo` of a `WebSocketManager`. */
  retrieve(shardId: number): SessionInfo | null;
  /** For `updateSessionInfo`: in memory alone. */
  update(shardId: number, session: SessionInfo | null): void;
  /** The event of this number was handled. That is written within a second, and of an interaction at once. */
  handled(shardId: number, sequence: number, isInteraction: boolean): void;
  /** A session has begun, was resumed, or lost its connection: it is written at once, unless another process has it. */
  changed(shardId: number): void;
  /** Changes nothing any more, and resolves when the last state is written. */
  end(): Promise<void>;
}

interface SessionsDeps {
  readonly storage: Pick<Storage, "table" | "commit">;
  readonly applicationId: string;
  readonly log: Log;
  readonly now?: () => number;
}

/** Writes one shard's session, unless another process has taken it over. Throws a `StorageError`. */
function createSessionWriter({ storage, applicationId, log, now = Date.now }: SessionsDeps) {
  const table = storage.table(gatewayTable);
  const me = randomUUID();
  const read = async (key: string) => (await table.read([key]))[0] ?? absent(key);

  return async (shardId: number, shard: ShardSession): Promise<void> => {
    while (shard.session && !shard.isTakenOver) {
      const row = shard.row ?? (await read(String(shardId)));
      if (shard.isWritten && row.value && row.value.process !== me) {
        Object.assign(shard, { session: undefined, isTakenOver: true });
        log.warn(
          { shard: shardId },
          "another process on this storage has taken over the session of this shard; this one begins a new one. If that is no replacement, end one of them, or give each its own SHARDS",
        );
        return;
      }
      const { sessionId, resumeURL: resumeUrl, shardCount } = shard.session;
      const kept = { applicationId, shardCount, sessionId, resumeUrl, sequence: shard.handled, process: me };
      const step = table.put(row, { ...kept, writtenAt: now() });
      // A commit that throws may have happened: then the row is read again.
      shard.row = undefined;
      shard.isChanged = false;
      if (!(await storage.commit([step]))) continue;
      shard.row = table.written(step);
      shard.isWritten = true;
      return;
    }
  };
}

/**
 * Sessions in the storage. A process that takes one over writes its own mark first, and each write expects the row of the
 * write before. Where two processes run the same shards, the one that came later has the session; the other one finds out
 * at its next write, begins a session of its own and keeps it nowhere: one takeover for each start, and no fight.
 *
 * @param deps.now wall clock, epoch ms
 */
export function createGatewaySessions(deps: SessionsDeps): GatewaySessions {
  const { storage, applicationId, log } = deps;
  const writeShard = createSessionWriter(deps);
  const shards = new Map<number, ShardSession>();
  let writing: Promise<void> | undefined;
  let isFailing = false;
  let isEnding = false;

  function of(shardId: number): ShardSession {
    const shard = shards.get(shardId) ?? newSession();
    shards.set(shardId, shard);
    return shard;
  }

  async function writeAll(): Promise<void> {
    const changed = [...shards].filter(([, { isChanged }]) => isChanged);
    try {
      await Promise.all(changed.map(([shardId, shard]) => writeShard(shardId, shard)));
      isFailing = false;
    } catch (error) {
      for (const [, shard] of changed) shard.isChanged = true;
      // Once for each outage: it is tried again every second.
      if (!isFailing) log.warn({ err: error }, "the session with Discord could not be written; trying again");
      isFailing = true;
    }
  }

  function write(): Promise<void> {
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  const timer = setInterval(() => void write(), writeEveryMs).unref();

  return {
    async load(shardIds, shardCount, gatewayUrl) {
      const writtenAt = new Map<number, number>();
      const unknown = shardIds.filter((shardId) => !shards.has(shardId));
      try {
        for (const row of await storage.table(gatewayTable).read(unknown.map(String))) {
          const shardId = Number(row.key);
          const shard = of(shardId);
          shard.row = row;
          const record = row.value;
          const isUsable = record?.applicationId === applicationId && record.shardCount === shardCount;
          if (!isUsable || !isOfGateway(record.resumeUrl, gatewayUrl)) continue;
          const { sessionId, resumeUrl: resumeURL, sequence } = record;
          shard.session = { sessionId, resumeURL, sequence, shardCount, shardId };
          shard.handled = sequence;
          shard.isChanged = true;
          writtenAt.set(shardId, record.writtenAt);
        }
      } catch (error) {
        log.warn({ err: error }, "the sessions with Discord could not be read; new ones are begun");
      }
      await write();
      return writtenAt;
    },
    retrieve: (shardId) => of(shardId).session ?? null,
    update(shardId, session) {
      if (isEnding) return;
      const shard = of(shardId);
      if (session && session.sessionId !== shard.session?.sessionId) shard.handled = session.sequence;
      shard.session = session ?? undefined;
    },
    handled(shardId, sequence, isInteraction) {
      if (isEnding) return;
      const shard = of(shardId);
      shard.handled = Math.max(sequence, shard.handled);
      shard.isChanged = true;
      if (isInteraction) setTimeout(() => void write(), interactionMs).unref();
    },
    changed(shardId) {
      of(shardId).isChanged = true;
      void write();
    },
    async end() {
      isEnding = true;
      clearInterval(timer);
      await writing;
      await write();
    },
  };
}
