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
  /**
   * Number of the last event that the bot handled. When the session is resumed, Discord sends the later events again.
   */
  sequence: z.int().nonnegative(),
  /** A random id of the process that wrote the row. */
  process: z.string(),
  /** Epoch ms, by the clock of that process. */
  writtenAt: z.number(),
});
type KeptSession = Readonly<z.infer<typeof keptSchema>>;

/**
 * Sessions with Discord's gateway, by shard id. If a row is malformed, it counts as empty and the shard begins a new
 * session.
 */
export const gatewayTable: TableShape<KeptSession | null> = {
  name: "gateway",
  schema: keptSchema.nullable().catch(null),
  version: 1,
};

/** How often the number of the last event is written. After a kill, Discord repeats the events of at most this time. */
const writeEveryMs = 1_000;
/**
 * Delay before the number of an interaction is written, so that the interaction's first answer is sent before the
 * write. If Discord repeats an interaction, it refuses the second answer (40060) before any work is done, but that is a
 * wasted request.
 */
const interactionMs = 10;

/**
 * Whether the stored address of a session belongs to the gateway that Discord's API names. The bot's token is sent to
 * that address, so a changed row must not lead it elsewhere. Discord resumes on other hosts of the same domain
 * (`gateway-us-east1-b.discord.gg`).
 */
function isOfGateway(resumeUrl: string, gatewayUrl: string): boolean {
  if (!URL.canParse(gatewayUrl)) return false;
  const [resumed, named] = [new URL(resumeUrl), new URL(gatewayUrl)];
  if (resumed.protocol !== named.protocol || resumed.port !== named.port) return false;
  if (resumed.hostname === named.hostname) return true;
  const domain = /^[^.]+(\.[^.]+\..+)$/.exec(named.hostname)?.[1];
  return domain !== undefined && isIP(named.hostname) === 0 && resumed.hostname.endsWith(domain);
}

interface ShardSession {
  /** The session of `@discordjs/ws`. For a moment its sequence may be ahead of `handled`. */
  session: SessionInfo | undefined;
  handled: number;
  isChanged: boolean;
  /** The row as this process last read or wrote it; undefined if that is uncertain. */
  row: Row<KeptSession | null> | undefined;
  /**
   * True if this process wrote the row. If the row then has the id of another process, that process took the session
   * over.
   */
  isWritten: boolean;
  /** True if another process has taken over the session and its row. */
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
   * Takes over the stored sessions of these shards; `shardCount` is the number of all shards of the bot. Resolves to
   * the times when the sessions were written, epoch ms by shard id. Never rejects: a shard without a stored session
   * begins a new one.
   *
   * @param gatewayUrl the gateway's address from Discord's API
   */
  load(shardIds: readonly number[], shardCount: number, gatewayUrl: string): Promise<ReadonlyMap<number, number>>;
  /** Returns the session in memory. It is passed to `WebSocketManager` as `retrieveSessionInfo`. */
  retrieve(shardId: number): SessionInfo | null;
  /** Changes the session in memory only. It is passed to `WebSocketManager` as `updateSessionInfo`. */
  update(shardId: number, session: SessionInfo | null): void;
  /**
   * Notes that the event with this number was handled. The number is written within a second, for an interaction within
   * 10 ms.
   */
  handled(shardId: number, sequence: number, isInteraction: boolean): void;
  /**
   * Notes that a session began, was resumed, or lost its connection. It is written at once, unless another process has
   * taken it over.
   */
  changed(shardId: number): void;
  /** Stops changing sessions, and resolves when the last state is written. */
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
      // A commit that throws may still have been carried out, so the next write reads the row first.
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
 * Keeps sessions in the storage. A process that takes a session over first writes its own id into the row. Each write
 * expects the row unchanged since this process's last write. So if two processes run the same shard, the later one gets
 * the session. The earlier one notices it at its next write; it then begins a new session, which it does not store.
 * Without this rule the two would take the session from each other again and again.
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
      // Log once for each outage, because the write is tried again every second.
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
