/** The conditions of a history. */
export interface Setup {
  /** Epoch ms. */
  readonly startsAt: number;
  readonly hours: number;
  /** Schedule of the polls (cron, seconds first), and the time between two polls. */
  readonly schedule: string;
  readonly pollMs: number;
  /** Statuses that trigger an alert, as `/alerts set statuses` takes them. */
  readonly statuses: readonly string[];
  readonly privacy: "none" | "masked" | "full";
  readonly store: {
    readonly ordering: "newest-first" | "oldest-first" | "by-id" | "last-changed-first";
    /** Rows on a page. If set, the store ignores the number that is asked for. */
    readonly rowsPerPage?: number;
    readonly honoursStatus: boolean;
    /** How the store reads several statuses in one query: all, only the first, as one unknown status, or as no filter. */
    readonly severalStatuses: "all" | "first" | "none" | "ignored";
    readonly ids: "uuid" | "number";
    /** `behind`: three hours too early, like a local time whose zone was left out. `same`: dates without a time of day. */
    readonly times: "own" | "missing" | "behind" | "same";
    readonly products: number;
    /** Number of orders at the start, by status. */
    readonly waiting: Readonly<Record<string, number>>;
  };
  readonly discord: {
    /** Whether Discord answers a repeated nonce with the first message. */
    readonly nonces: boolean;
  };
  /** Shortest and longest time from a request to its answer, in ms. */
  readonly latency: { readonly store: readonly [number, number]; readonly discord: readonly [number, number] };
}

/** A setup in which the store and Discord are fast and never fail. */
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
