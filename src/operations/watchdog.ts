import type { Heartbeat } from "../basics/health.ts";

const lookEveryMs = 5_000;
/**
 * A look that comes later than this shows that the process did not run in between: it was stopped, or the machine slept.
 * Such time is no silence. What keeps the event loop for longer is seen by the hang watch.
 */
const longestLookMs = 2 * lookEveryMs;

interface Silence {
  beats: number;
  ms: number;
}

/**
 * Looks at every heartbeat each 5 s, and tells of the first that has been silent for longer than it may, in time that this
 * process ran. It tells once.
 *
 * @param monotonic ms
 */
export function createWatchdog(deps: {
  heartbeats(): readonly Heartbeat[];
  onSilent(name: string, silentMs: number): void;
  monotonic?: () => number;
}): { start(): void; stop(): void } {
  const { monotonic = () => performance.now() } = deps;
  const silences = new Map<string, Silence>();
  let timer: NodeJS.Timeout | undefined;
  let lookedAt = 0;

  function look() {
    const now = monotonic();
    const ranMs = Math.min(now - lookedAt, longestLookMs);
    lookedAt = now;
    const heartbeats = deps.heartbeats();
    const names = new Set(heartbeats.map(({ name }) => name));
    for (const name of silences.keys()) if (!names.has(name)) silences.delete(name);
    for (const { name, beats, longestSilenceMs } of heartbeats) {
      const silence = silences.get(name);
      if (silence?.beats !== beats) {
        silences.set(name, { beats, ms: 0 });
        continue;
      }
      silence.ms += ranMs;
      if (silence.ms <= longestSilenceMs) continue;
      stop();
      deps.onSilent(name, silence.ms);
      return;
    }
  }

  function stop() {
    clearInterval(timer);
  }

  return {
    start() {
      lookedAt = monotonic();
      timer = setInterval(look, lookEveryMs).unref();
    },
    stop,
  };
}
