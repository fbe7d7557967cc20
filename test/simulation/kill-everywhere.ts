import type { History } from "./history.ts";
import { play } from "./play-history.ts";
import { plain } from "./setup.ts";
import type { Finding } from "./world/record.ts";

const firstAt = 10_000;
const watchedMs = 25_000;
const order = { kind: "orders", status: "PENDING", product: "old", category: 0 } as const;

/** One order, which is paid 20 s later, and seven orders at once. All of it happens within half a minute. */
const history: History = {
  seed: 1,
  setup: {
    ...plain,
    hours: 1 / 60,
    statuses: ["PENDING", "PAID"],
    store: { ...plain.store, waiting: { PENDING: 3 } },
    latency: { store: [50, 200], discord: [60, 300] },
  },
  happenings: [
    { ...order, at: 0, id: 0, count: 1, steps: [{ afterMs: 20_000, to: "PAID" }] },
    { ...order, at: firstAt, id: 1, count: 7, steps: [] },
  ],
};

/** Plays a short history once for each of its events, and kills the process at this event. Returns the failures by event. */
export async function killEverywhere(): Promise<{
  readonly kills: number;
  readonly findings: readonly (Finding & { readonly event: number })[];
}> {
  const within: number[] = [];
  let begunAt = Number.POSITIVE_INFINITY;
  await play(history, {
    onLine(line) {
      if (line.includes("happens")) begunAt = Math.min(begunAt, within.length);
    },
    onEvent: (_, at) => void within.push(at),
  });
  const from = within[begunAt] ?? 0;
  const events = within.flatMap((at, index) => (at >= from && at < from + firstAt + watchedMs ? [index + 1] : []));
  const findings: (Finding & { event: number })[] = [];
  for (const event of events) {
    const outcome = await play(history, { killAt: event });
    findings.push(...outcome.findings.map((finding) => ({ ...finding, event })));
  }
  return { kills: events.length, findings };
}
