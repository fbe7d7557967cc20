import type { Tenant } from "./tenants.ts";

interface Window {
  readonly what: string;
  /** The only one that it meets; every one, without it. */
  readonly tenant: Tenant | undefined;
  /** Monotonic ms. */
  readonly from: number;
  to: number;
}

/** No wait of the bot's is longer than 5 minutes: what is over for three times as long has no shadow any more. */
const keptMs = 15 * 60_000;

/** When something failed, and for whom. */
export class FaultWindows {
  private windows: Window[] = [];
  private readonly intervalMs: number;
  /** How often each kind came. */
  readonly counts = new Map<string, number>();

  /** @param intervalMs of the polls */
  constructor(intervalMs: number) {
    this.intervalMs = intervalMs;
  }

  /** @returns what ends it */
  open(what: string, tenant: Tenant | undefined): () => void {
    const now = performance.now();
    const window: Window = { what, tenant, from: now, to: Number.POSITIVE_INFINITY };
    this.windows = this.windows.filter(({ to }) => to > now - keptMs);
    this.windows.push(window);
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
    return () => {
      window.to = performance.now();
    };
  }

  /**
   * Whether something failed for this server, or for any one, from `from` to now, or shortly before: the wait after a fault
   * is no longer than it was itself, and a poll comes on top.
   */
  since(from: number, tenant?: Tenant): boolean {
    return this.windows.some(
      (window) =>
        (tenant === undefined || window.tenant === undefined || window.tenant === tenant) &&
        window.to + (window.to - window.from) + this.intervalMs >= from,
    );
  }

  /** What fails now. */
  now(): readonly string[] {
    return this.windows.filter(({ to }) => to === Number.POSITIVE_INFINITY).map(({ what }) => what);
  }
}
