import type { Heartbeat } from "../basics/health.ts";

const checkEveryMs = 5_000;

/**
 * Calls `onSilent` for the first heartbeat that was silent for too long, and then stops. Each check without a beat adds 5 s of
 * silence. So the time while the process is stopped or the machine sleeps does not count.
 * `polling/schedule.ts` and `discord/gateway/shard-health.ts` say how long a heartbeat may be silent.
 *
 * @returns a function that stops the checks
 */
export function startWatchdog(
  heartbeats: () => readonly Heartbeat[],
  onSilent: (name: string, silentMs: number) => void,
): () => void {
  let silences = new Map<string, { readonly beats: number; readonly ms: number }>();
  const timer = setInterval(() => {
    const before = silences;
    silences = new Map();
    for (const { name, beats, longestSilenceMs } of heartbeats()) {
      const last = before.get(name);
      const ms = last?.beats === beats ? last.ms + checkEveryMs : 0;
      silences.set(name, { beats, ms });
      if (ms <= longestSilenceMs) continue;
      clearInterval(timer);
      return onSilent(name, ms);
    }
  }, checkEveryMs).unref();
  return () => clearInterval(timer);
}
