import type { Heartbeat } from "../basics/health.ts";

const checkEveryMs = 5_000;
/**
 * If a check is later than this, the process did not run in between: it was stopped, or the machine slept. Such time
 * does not count as silence.
 */
const longestStepMs = 2 * checkEveryMs;

/**
 * Checks every 5 s that all heartbeats go on. It reports the first one that was silent for too long while this process
 * ran. It reports once, and then stops.
 *
 * @param monotonic a monotonic clock, in ms
 */
export function createWatchdog(deps: {
  heartbeats(): readonly Heartbeat[];
  onSilent(name: string, silentMs: number): void;
  monotonic?: () => number;
}): { start(): void; stop(): void } {
  const { monotonic = () => performance.now() } = deps;
  let silences = new Map<string, { readonly beats: number; readonly ms: number }>();
  let timer: NodeJS.Timeout | undefined;
  let checkedAt = 0;

  function check() {
    const now = monotonic();
    const ranMs = Math.min(now - checkedAt, longestStepMs);
    checkedAt = now;
    const heartbeats = deps.heartbeats();
    const before = silences;
    silences = new Map(
      heartbeats.map(({ name, beats }) => {
        const silence = before.get(name);
        return [name, { beats, ms: silence?.beats === beats ? silence.ms + ranMs : 0 }];
      }),
    );
    for (const { name, longestSilenceMs } of heartbeats) {
      const { ms = 0 } = silences.get(name) ?? {};
      if (ms <= longestSilenceMs) continue;
      stop();
      deps.onSilent(name, ms);
      return;
    }
  }

  function stop() {
    clearInterval(timer);
  }

  return {
    start() {
      checkedAt = monotonic();
      timer = setInterval(check, checkEveryMs).unref();
    },
    stop,
  };
}
