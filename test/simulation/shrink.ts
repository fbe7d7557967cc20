import type { Happening, History } from "./history.ts";
import { plain, type Setup } from "./setup.ts";
import { hour } from "./world/record.ts";

const { store, privacy, discord, latency, statuses, schedule, pollMs } = plain;
const parts: readonly Partial<Setup>[] = [{ privacy }, { discord }, { latency }, { statuses }, { schedule, pollMs }];
/** Functions that each set one value of the setup as in {@link plain}. A change is kept if the history still fails. */
const plainer: readonly ((setup: Setup) => Setup)[] = [
  ...Object.entries(store).map(([key, value]) => (setup: Setup) => ({
    ...setup,
    store: { ...setup.store, [key]: value },
  })),
  ({ store: { rowsPerPage: _, ...rest }, ...setup }) => ({ ...setup, store: rest }),
  ...parts.map((part) => (setup: Setup) => ({ ...setup, ...part })),
];

function smaller(happening: Happening): Happening[] {
  if (happening.kind !== "orders") return [];
  const counts = [1, 6, Math.ceil(happening.count / 4), Math.ceil(happening.count / 2)].filter(
    (count) => count < happening.count,
  );
  return [
    ...counts.map((count) => ({ ...happening, count })),
    ...(happening.product === "old" ? [] : [{ ...happening, product: "old" as const }]),
    ...(happening.steps.length > 0 ? [{ ...happening, steps: [] }] : []),
  ];
}

/**
 * Searches for a smaller history that still fails: with fewer events (delta debugging), fewer orders and a simpler setup.
 * Returns the smallest history that it found. Ends early if `mayGoOn` returns false.
 *
 * @param fails whether this history fails in the same way
 */
export async function shrink(
  history: History,
  fails: (history: History) => Promise<boolean>,
  mayGoOn: () => boolean,
): Promise<History> {
  let best = history;
  const attempt = async (next: History) => {
    if (!mayGoOn() || !(await fails(next))) return false;
    best = next;
    return true;
  };
  for (
    let size = Math.ceil(best.happenings.length / 2);
    size >= 1 && mayGoOn();
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let start = 0; start < best.happenings.length && mayGoOn(); ) {
      const happenings = best.happenings.toSpliced(start, size);
      if (!(await attempt({ ...best, happenings }))) start += size;
    }
  }
  for (const happening of best.happenings) {
    for (const next of smaller(happening)) {
      const happenings = best.happenings.map((one) => (one.id === happening.id ? next : one));
      if (await attempt({ ...best, happenings })) break;
    }
  }
  const last = best.happenings.at(-1)?.at ?? 0;
  const hours = Math.ceil((last / hour + 0.1) * 10) / 10;
  if (hours < best.setup.hours) await attempt({ ...best, setup: { ...best.setup, hours } });
  for (const change of plainer) {
    const setup = change(best.setup);
    if (JSON.stringify(setup) !== JSON.stringify(best.setup)) await attempt({ ...best, setup });
  }
  return best;
}
