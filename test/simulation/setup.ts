/** What a history begins with. */
export interface Setup {
  /** Epoch ms. */
  readonly startsAt: number;
  readonly hours: number;
  /** Cron, seconds first, and how far apart its ticks are. */
  readonly schedule: string;
  readonly pollMs: number;
  /** Statuses that are announced, as `/alerts set statuses` takes them. */
  readonly statuses: readonly string[];
  readonly privacy: "none" | "masked" | "full";
  readonly store: {
    readonly ordering: "newest-first" | "oldest-first" | "by-id" | "last-changed-first";
    /** Rows on a page, in place of the number that is asked for. */
    readonly rowsPerPage?: number;
    readonly honoursStatus: boolean;
    readonly severalStatuses: "all" | "first" | "none" | "ignored";
    readonly ids: "uuid" | "number";
    readonly times: "own" | "missing" | "same";
    readonly products: number;
    /** Orders that are there at the start, in each of these statuses. */
    readonly waiting: Readonly<Record<string, number>>;
  };
  readonly discord: {
    /** Whether a repeated nonce gives the first message. */
    readonly nonces: boolean;
  };
  /** Milliseconds forwards and backwards, at least and at most. */
  readonly latency: { readonly store: readonly [number, number]; readonly discord: readonly [number, number] };
}

/** A fast store and a fast Discord that do all they are asked. */
export const plain: Setup = {
  startsAt: Date.UTC(2026, 5, 15, 12),
  hours: 1,
  schedule: "*/15 * * * * *",
  pollMs: 15_000,
  statuses: ["PENDING"],
  privacy: "none",
  store: {
    ordering: "newest-first",
    honoursStatus: true,
    severalStatuses: "all",
    ids: "uuid",
    times: "own",
    products: 9,
    waiting: {},
  },
  discord: { nonces: true },
  latency: { store: [50, 100], discord: [50, 100] },
};
