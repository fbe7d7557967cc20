import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import type { SessionInfo } from "@discordjs/ws";
import { z } from "zod";
import type { Log } from "../../basics/log.ts";
import type { Storage, TableShape } from "../../storage/table.ts";

const keptSchema = z.object({
  applicationId: z.string(),
  shardCount: z.int().positive(),
  sessionId: z.string(),
  resumeUrl: z.string().refine((value) => URL.canParse(value)),
  /** Number of the last event that counts as answered. When the session is resumed, Discord sends the later events again. */
  sequence: z.int().nonnegative(),
  process: z.string(),
});
type KeptSession = Readonly<z.infer<typeof keptSchema>>;

/** Keys are shard ids. A malformed row counts as empty, so the shard begins a new session. */
export const gatewayTable: TableShape<KeptSession | null> = {
  name: "gateway",
  schema: keptSchema.nullable().catch(null),
  version: 1,
};

/**
 * Time between two regular writes of the sessions. A write stores the number of the event that was the newest at the previous
 * write, 3 s earlier. Discord accepts the first answer to an interaction for 3 s (docs: Receiving and Responding). So every
 * interaction up to the stored event has been answered, or it is too late for an answer. After a kill, Discord repeats the
 * events of up to 6 s (more if the storage failed). If a repeated interaction was answered already, Discord refuses another
 * first answer (40060). Then the command does not run, unless it opens a window: the window itself is the first answer.
 */
const writeEveryMs = 3_000;

/**
 * The bot's token is sent to the stored address, so the address must be in the gateway's domain. Discord resumes sessions on
 * other hosts of this domain (`gateway-us-east1-b.discord.gg`).
 */
function isOfGateway(resumeUrl: string, gatewayUrl: string): boolean {
  if (!URL.canParse(gatewayUrl)) return false;
  const [resumed, named] = [new URL(resumeUrl), new URL(gatewayUrl)];
  if (resumed.protocol !== named.protocol || resumed.port !== named.port) return false;
  if (resumed.hostname === named.hostname) return true;
  const domain = /^[^.]+(\.[^.]+\..+)$/.exec(named.hostname)?.[1];
  return domain !== undefined && isIP(named.hostname) === 0 && resumed.hostname.endsWith(domain);
}

function sessionIn(
  row: KeptSession | null | undefined,
  of: { readonly applicationId: string; readonly shardId: number; readonly shardCount: number },
  gatewayUrl: string,
): SessionInfo | null {
  const { applicationId, shardId, shardCount } = of;
  if (row?.applicationId !== applicationId || row.shardCount !== shardCount) return null;
  const { sessionId, resumeUrl: resumeURL, sequence } = row;
  return isOfGateway(resumeURL, gatewayUrl) ? { sessionId, resumeURL, sequence, shardCount, shardId } : null;
}

interface ShardSession {
  session: SessionInfo | null;
  /** The session at the last tick of the timer. The next write stores it, unless it is the same object as `stored`. */
  settled: SessionInfo | null;
  /** What this process stored last. "taken over": another process has stored its session since, and this one stores no more. */
  stored: SessionInfo | "taken over" | undefined;
}

/**
 * Stores the sessions of this process's shards, so that the next process can resume them. If two processes run the same shard,
 * the later process gets the session. The earlier process notices this at its next write, and begins a session that it does not
 * store. If it stored this session, the two processes would take the row from each other again and again.
 */
export function createGatewaySessions({
  storage,
  applicationId,
  log,
}: {
  readonly storage: Pick<Storage, "table">;
  readonly applicationId: string;
  readonly log: Log;
}) {
  const table = storage.table(gatewayTable);
  const me = randomUUID();
  const shards = new Map<number, ShardSession>();
  let writing: Promise<void> | undefined;
  let isFailing = false;

  function of(shardId: number): ShardSession {
    const begun = { session: null, settled: null, stored: undefined };
    const shard = shards.get(shardId) ?? begun;
    shards.set(shardId, shard);
    return shard;
  }

  async function writeShard(shardId: number, shard: ShardSession): Promise<void> {
    const { settled, stored } = shard;
    if (!settled || settled === stored || stored === "taken over") return;
    const row = await table.get(String(shardId));
    if (stored && row && row.process !== me) {
      Object.assign(shard, { session: null, stored: "taken over" });
      log.warn(
        { shard: shardId },
        "another process on this storage has taken over the session of this shard; this process starts a new session. Unless one process replaces the other, end one of them or give each its own SHARDS",
      );
      return;
    }
    const { sessionId, resumeURL: resumeUrl, shardCount, sequence } = settled;
    await table.set(String(shardId), { applicationId, shardCount, sessionId, resumeUrl, sequence, process: me });
    shard.stored = settled;
  }

  async function writeAll(): Promise<void> {
    try {
      await Promise.all([...shards].map(([shardId, shard]) => writeShard(shardId, shard)));
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, "could not store the session with Discord; trying again");
      isFailing = true;
    }
  }

  function write(): Promise<void> {
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  function settle(): void {
    for (const shard of shards.values()) shard.settled = shard.session;
  }

  const timer = setInterval(() => {
    void write();
    settle();
  }, writeEveryMs).unref();

  return {
    /**
     * Takes over the stored sessions of shards that are new to this process. Never rejects. `shardCount` counts all shards of
     * the bot, and `gatewayUrl` comes from Discord's API.
     */
    async load(shardIds: readonly number[], shardCount: number, gatewayUrl: string): Promise<void> {
      const unknown = shardIds.filter((shardId) => !shards.has(shardId));
      try {
        const rows = await table.read(unknown.map(String));
        for (const [index, shardId] of unknown.entries()) {
          const session = sessionIn(rows[index]?.value, { applicationId, shardId, shardCount }, gatewayUrl);
          Object.assign(of(shardId), { session, settled: session });
        }
      } catch (error) {
        log.warn({ err: error }, "could not read the sessions with Discord; starting new ones");
      }
      await write();
    },
    /** `retrieveSessionInfo` of `WebSocketManager`. */
    retrieve: (shardId: number) => of(shardId).session,
    /** `updateSessionInfo` of `WebSocketManager`. */
    update(shardId: number, session: SessionInfo | null): void {
      of(shardId).session = session;
    },
    /** Must be called when a session began, was resumed, or lost its connection. */
    changed(shardId: number): void {
      const shard = of(shardId);
      // A copy is not the object in `stored`. So the row is read again, which shows whether another process has taken it over.
      shard.session &&= { ...shard.session };
      if (shard.settled?.sessionId === shard.session?.sessionId) shard.settled &&= { ...shard.settled };
      else shard.settled = shard.session;
      void write();
    },
    /** Stores the sessions as they are now, so Discord does not repeat earlier events. Later updates are not stored. */
    async end(): Promise<void> {
      clearInterval(timer);
      settle();
      await writing;
      await write();
    },
  };
}
