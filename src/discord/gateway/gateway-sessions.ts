import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import type { SessionInfo } from "@discordjs/ws";
import { z } from "zod";
import { withDeadline } from "../../basics/deadline.ts";
import type { Log } from "../../basics/log.ts";
import type { Table, TableShape } from "../../storage/table.ts";

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
  impersonal: true,
};

/** How often the place in the stream of events is written. What a killed process was handed since then comes again. */
const writeEveryMs = 1_000;
/**
 * An interaction that comes again does no work twice, for its first answer is refused (40060) before any work is done; but
 * that is a request in vain. So its place is written at once, after the first answer has left.
 */
const interactionMs = 10;
/** A storage that takes longer to tell whose session it is does not hold up the connection. */
const lookMs = 2_000;

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

/** What is known of one shard's session. */
interface Line {
  /** As `@discordjs/ws` has it; its sequence may be ahead of `handedOn` for a moment. */
  session: SessionInfo | undefined;
  handedOn: number;
  isChanged: boolean;
  /** The connection was lost: perhaps to another process, which goes on with the session. */
  isDoubtful: boolean;
  /** Another process has taken the session over, and the record is its own from then on. */
  isTakenOver: boolean;
}

/** Keeps the sessions of this process's shards, so that the next process goes on with them. */
export interface GatewaySessions {
  /**
   * Takes over what is kept for these shards of so many, and resolves to when it was written, epoch ms by shard id. Never
   * rejects: without a session a new one is begun.
   *
   * @param gatewayUrl where Discord's API says that the gateway is
   */
  load(shardIds: readonly number[], shardCount: number, gatewayUrl: string): Promise<ReadonlyMap<number, number>>;
  /** Asks whose session it is by now, where the connection was lost; never rejects. To be awaited before each connection. */
  settle(shardId: number): Promise<void>;
  /** For `retrieveSessionInfo` of a `WebSocketManager`. */
  retrieve(shardId: number): SessionInfo | null;
  /** For `updateSessionInfo`: in memory alone. */
  update(shardId: number, session: SessionInfo | null): void;
  /** The event of this number is in good hands. That is written within a second, and of an interaction at once. */
  handedOn(shardId: number, sequence: number, isInteraction: boolean): void;
  /** A session has begun or goes on: that is written at once. */
  begun(shardId: number): void;
  /** The connection was lost: nothing is written until it is known whose session it is. */
  lost(shardId: number): void;
  /** Changes nothing any more, and resolves when the last state is written. Throws `StorageError`. */
  end(): Promise<void>;
}

/** What is kept, in memory, as lines. */
const lineOf = (session?: SessionInfo): Line => ({
  session,
  handedOn: session?.sequence ?? 0,
  isChanged: false,
  isDoubtful: false,
  isTakenOver: false,
});

/** Writes what changed, in one go for all shards, one write at a time. */
function createWriter(write: () => Promise<void>, isDue: () => boolean, log: Log) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** Monotonic ms; of the earliest write that was asked for. */
  let dueAt = Number.POSITIVE_INFINITY;
  let isFailing = false;
  let isOver = false;

  async function run() {
    let isWritten = true;
    try {
      await write();
      isFailing = false;
    } catch (error) {
      // Once for each outage: it is tried again every second.
      if (!isFailing) log.warn({ err: error }, "the session with Discord could not be written; trying again");
      isFailing = true;
      isWritten = false;
    }
    running = undefined;
    if (!isDue()) return;
    const wishedInMs = dueAt - performance.now();
    dueAt = Number.POSITIVE_INFINITY;
    plan(isWritten ? Math.min(Math.max(wishedInMs, 0), writeEveryMs) : writeEveryMs);
  }

  function plan(inMs: number) {
    const at = performance.now() + inMs;
    if (isOver || at >= dueAt) return;
    dueAt = at;
    if (running) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      dueAt = Number.POSITIVE_INFINITY;
      running = run();
    }, inMs).unref();
  }

  return {
    plan,
    async end() {
      isOver = true;
      clearTimeout(timer);
      await running;
      if (isDue()) await write();
    },
  };
}

/**
 * Sessions in the storage. Whoever takes one over writes its own mark first. Where two processes run the same shards, the
 * one that came later has the session; the other one sees its mark when it loses the connection, begins a session of its
 * own and writes it nowhere: a takeover for each start, and no fight.
 *
 * @param now wall clock, epoch ms
 */
export function createGatewaySessions(deps: {
  readonly table: Table<KeptSession | null>;
  readonly applicationId: string;
  readonly log: Log;
  readonly now?: () => number;
}): GatewaySessions {
  const { table, applicationId, log, now = Date.now } = deps;
  const me = randomUUID();
  const lines = new Map<number, Line>();
  let isEnding = false;

  function of(shardId: number): Line {
    const known = lines.get(shardId) ?? lineOf();
    lines.set(shardId, known);
    return known;
  }

  const recordOf = ({ shardCount, sessionId, resumeURL: resumeUrl }: SessionInfo, sequence: number): KeptSession => {
    return { applicationId, shardCount, sessionId, resumeUrl, sequence, process: me, writtenAt: now() };
  };
  const isDue = ({ isChanged, isDoubtful, isTakenOver }: Line) => isChanged && !isDoubtful && !isTakenOver;

  async function write(): Promise<void> {
    const due = [...lines].filter(([, line]) => isDue(line));
    const entries = due.flatMap(([shardId, { session, handedOn }]) =>
      session ? [[String(shardId), recordOf(session, handedOn)] as const] : [],
    );
    for (const [, line] of due) line.isChanged = false;
    try {
      await table.setMany(entries);
    } catch (error) {
      for (const [, line] of due) line.isChanged = true;
      throw error;
    }
  }
  const writer = createWriter(write, () => [...lines.values()].some(isDue), log);

  /** Where the storage does not say whose session it is, it is still this process's. */
  async function look(shardId: number, line: Line): Promise<void> {
    const kept = await withDeadline(table.get(String(shardId)), lookMs, undefined).catch(() => undefined);
    line.isDoubtful = false;
    if (!kept || kept.process === me || kept.sessionId !== line.session?.sessionId) return;
    Object.assign(line, lineOf(), { isTakenOver: true });
    log.warn(
      { shard: shardId },
      "another process on this storage has taken over the session of this shard; this one begins a new one. If that is no replacement, end one of them, or give each its own SHARDS",
    );
  }

  return {
    async load(shardIds, shardCount, gatewayUrl) {
      const writtenAt = new Map<number, number>();
      const unknown = shardIds.filter((shardId) => !lines.has(shardId));
      try {
        const kept = await table.getMany(unknown.map(String));
        for (const [index, shardId] of unknown.entries()) {
          const record = kept[index];
          const isUsable = record?.applicationId === applicationId && record.shardCount === shardCount;
          if (!isUsable || !isOfGateway(record.resumeUrl, gatewayUrl)) continue;
          const { sessionId, resumeUrl: resumeURL, sequence } = record;
          lines.set(shardId, { ...lineOf({ sessionId, resumeURL, sequence, shardCount, shardId }), isChanged: true });
          writtenAt.set(shardId, record.writtenAt);
        }
        await write();
      } catch (error) {
        log.warn({ err: error }, "the sessions with Discord could not be read or marked; what was read is taken up");
        writer.plan(writeEveryMs);
      }
      return writtenAt;
    },
    async settle(shardId) {
      const line = of(shardId);
      if (line.isDoubtful) await look(shardId, line);
    },
    retrieve: (shardId) => of(shardId).session ?? null,
    update(shardId, session) {
      if (isEnding) return;
      const line = of(shardId);
      if (session && session.sessionId !== line.session?.sessionId) line.handedOn = session.sequence;
      line.session = session ?? undefined;
    },
    handedOn(shardId, sequence, isInteraction) {
      if (isEnding) return;
      const line = of(shardId);
      line.handedOn = Math.max(sequence, line.handedOn);
      line.isChanged = true;
      writer.plan(isInteraction ? interactionMs : writeEveryMs);
    },
    begun(shardId) {
      of(shardId).isChanged = true;
      writer.plan(0);
    },
    lost(shardId) {
      of(shardId).isDoubtful = true;
    },
    async end() {
      isEnding = true;
      // What was lost and not asked about is left as it stands.
      await writer.end();
    },
  };
}
