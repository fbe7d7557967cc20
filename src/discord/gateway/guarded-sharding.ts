import {
  SimpleShardingStrategy,
  type WebSocketManager,
  type WebSocketShard,
  WebSocketShardDestroyRecovery,
  WebSocketShardEvents,
  WebSocketShardStatus,
} from "@discordjs/ws";
import { sleep } from "../../basics/limits/sleep.ts";

/**
 * Methods that a shard of `@discordjs/ws` 2.0.4 calls without handling their rejections. For example, they reject if a message
 * is malformed, if the gateway's address is invalid, or if a heartbeat comes before the connection is open. They also reject
 * when a session is over, because the shard then closes twice and connects twice ("Tried to connect a shard that wasn't idle").
 */
const inBackground = ["internalConnect", "onMessage", "onClose", "heartbeat", "destroy"] as const;

/** After the first failure to connect, a shard waits at most this long. `@discordjs/ws` itself tries again every 0.5 s. */
const firstWaitMs = 1_000;
/** Must be shorter than the silence that the watchdog allows (shard-health.ts). */
const longestWaitMs = 30_000;
/**
 * Longest wait for the answer to a resume, the same as for a new session. `@discordjs/ws` itself waits for ever. The watchdog
 * does not notice this, because the heartbeats of the shard go on. A restart of the process does not help, because the new
 * process resumes the same session.
 */
const longestResumeMs = 15_000;
/** After this many failed resumes, a new session begins. `@discordjs/ws` itself tries for ever after a time-out (4009). */
const mostResumes = 3;

/**
 * A rejection in the background is passed to `failed` instead of ending the process. During an outage, a shard connects less
 * and less often.
 */
export class GuardedSharding extends SimpleShardingStrategy {
  private readonly failed: (error: unknown, shardId: number) => void;
  private readonly pause: typeof sleep;
  private ending = new AbortController();

  constructor(manager: WebSocketManager, failed: (error: unknown, shardId: number) => void, pause = sleep) {
    super(manager);
    this.failed = failed;
    this.pause = pause;
  }

  override async spawn(shardIds: number[]): Promise<void> {
    await super.spawn(shardIds);
    this.ending = new AbortController();
    const shards: ReadonlyMap<number, WebSocketShard> = Reflect.get(this, "shards");
    for (const shard of shards.values()) {
      this.guard(shard);
      slowDown(shard, this.pause, this.ending.signal);
      limitResumes(shard, this.pause, this.ending.signal);
    }
  }

  override async destroy(options?: Parameters<SimpleShardingStrategy["destroy"]>[0]): Promise<void> {
    this.ending.abort();
    await super.destroy(options);
  }

  private guard(shard: WebSocketShard): void {
    for (const name of inBackground) {
      const run: unknown = Reflect.get(shard, name);
      if (typeof run !== "function") throw new Error(`@discordjs/ws has another shard: it has no ${name}`);
      Reflect.set(shard, name, async (...args: unknown[]) => {
        try {
          await Reflect.apply(run, shard, args);
        } catch (error) {
          this.failed(error, shard.id);
        }
      });
    }
  }
}

function slowDown(shard: WebSocketShard, pause: typeof sleep, signal: AbortSignal): void {
  const connect: () => Promise<void> = Reflect.get(shard, "internalConnect");
  let failures = 0;
  let isWaiting = false;
  const succeed = () => {
    failures = 0;
  };
  shard.on(WebSocketShardEvents.Ready, succeed).on(WebSocketShardEvents.Resumed, succeed);
  Reflect.set(shard, "internalConnect", async () => {
    if (isWaiting) return;
    isWaiting = true;
    const longestMs = Math.min(firstWaitMs * 2 ** (failures - 1), longestWaitMs);
    // The wait is random, so that the shards of many processes do not connect together when Discord is back.
    if (failures > 0) await pause(longestMs * (0.5 + Math.random() / 2), signal).catch(() => undefined);
    failures++;
    isWaiting = false;
    if (!signal.aborted) await connect();
  });
}

function limitResumes(shard: WebSocketShard, pause: typeof sleep, signal: AbortSignal): void {
  const resume: (...args: unknown[]) => Promise<void> = Reflect.get(shard, "resume");
  const startAnew = (reason: string) => shard.destroy({ reason, recover: WebSocketShardDestroyRecovery.Reconnect });
  let attempts: object[] = [];
  const succeed = () => {
    attempts = [];
  };
  shard.on(WebSocketShardEvents.Ready, succeed).on(WebSocketShardEvents.Resumed, succeed);
  Reflect.set(shard, "resume", async (...args: unknown[]) => {
    if (attempts.length === mostResumes) return startAnew("no resume succeeds");
    const own = {};
    attempts.push(own);
    await Reflect.apply(resume, shard, args);
    await pause(longestResumeMs, signal).catch(() => undefined);
    const isUnanswered = attempts.at(-1) === own && shard.status === WebSocketShardStatus.Resuming;
    if (isUnanswered && !signal.aborted) await startAnew("no answer to a resume");
  });
}
