/** What a history begins with. */
export interface Setup {
  /** Epoch ms. */
  readonly startsAt: number;
  readonly hours: number;
  /** Cron, seconds first, and how far apart its ticks are. */
  readonly schedule: string;
  readonly pollMs: number;
  /** What rings, as `/alerts set statuses` takes it. */
  readonly statuses: readonly string[];
  readonly privacy: "none" | "masked" | "full";
  readonly store: {
    readonly ordering: "newest-first" | "oldest-first" | "by-id" | "last-changed-first";
    /** Rows on a page, whatever is asked for. */
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
  /** Milliseconds there and back, at least and at most. */
  readonly latency: { readonly store: readonly [number, number]; readonly discord: readonly [number, number] };
}

export interface Condition {
  readonly status?: string;
  readonly category?: number;
  readonly method?: string;
  readonly from?: number;
  readonly to?: number;
}

/** Where an order goes on: after so long, to that status; `gone` and `back`: out of every list, and into them again. */
export interface Step {
  readonly afterMs: number;
  readonly to: string;
}

export type DiscordFault =
  | "refused"
  | "refused-together"
  | "forbidden"
  | "limited"
  | "unavailable"
  | "lost-request"
  | "lost-answer"
  | "late-answer"
  | "not-discord"
  | "mixed";
export type StoreFault =
  | "unavailable"
  | "no-answer"
  | "cut-off"
  | "limited"
  | "nonsense"
  | "firewall"
  | "token-refused"
  | "slow"
  | "not-found"
  | "mixed";

/** What happens, each by itself: any of them can be left out of a history, and the others stay as they are. */
export type Happening = { readonly at: number; readonly id: number } & (
  | {
      readonly kind: "orders";
      readonly count: number;
      readonly status: string;
      readonly steps: readonly Step[];
      /** One that was there before, one that came with it, or one that no list shows. */
      readonly product: "old" | "new" | "unlisted";
      readonly category: number;
    }
  /** Orders that were there before alerts were on go on. */
  | { readonly kind: "waiting-move"; readonly count: number; readonly to: string }
  | {
      readonly kind: "discord-fault";
      readonly how: DiscordFault;
      readonly forMs: number;
      /** Of the requests that it may meet. */
      readonly share: number;
    }
  | {
      readonly kind: "store-fault";
      readonly how: StoreFault;
      readonly forMs: number;
      readonly share: number;
      /** Only requests for this page; of any, or single orders, without it. */
      readonly page?: number;
      readonly what: "all" | "lists" | "orders" | "products";
    }
  | {
      readonly kind: "disk-fault";
      readonly how: "full" | "broken" | "busy";
      readonly forMs: number;
      readonly share: number;
    }
  | {
      readonly kind: "channel";
      readonly channel: string;
      readonly how: "closed" | "hidden" | "deleted";
      readonly forMs: number;
    }
  | {
      readonly kind: "kill";
      readonly downMs: number;
      /** Right then, or so many events after the next message was posted. */
      readonly afterPost?: number;
    }
  | { readonly kind: "restart"; readonly downMs: number }
  /** A process is suspended: the main one, or one besides it. */
  | { readonly kind: "stop"; readonly forMs: number; readonly isSpare?: boolean }
  | { readonly kind: "second-process"; readonly forMs: number; readonly count?: number }
  | { readonly kind: "clock"; readonly byMs: number; readonly forMs: number }
  | { readonly kind: "store-changes"; readonly ordering: Setup["store"]["ordering"]; readonly honoursStatus: boolean }
  | { readonly kind: "token"; readonly forMs: number }
  | { readonly kind: "restore"; readonly copiedMsBefore: number }
  | { readonly kind: "alerts-off"; readonly forMs: number }
  | { readonly kind: "alerts-set"; readonly channel: string; readonly statuses: readonly string[] }
  | {
      readonly kind: "rule";
      readonly name: string;
      readonly channel: string;
      readonly style: "staff" | "feed";
      readonly when: Condition;
    }
  | { readonly kind: "rule-again"; readonly name: string; readonly afterMs: number }
  | { readonly kind: "rule-gone"; readonly name: string }
  | { readonly kind: "rule-first"; readonly name: string }
  | { readonly kind: "privacy"; readonly privacy: Setup["privacy"] }
  | { readonly kind: "remind"; readonly minutes: number; readonly quiet?: string }
  | { readonly kind: "digest"; readonly hour: number; readonly timezone: string }
  | {
      readonly kind: "press";
      readonly people: number;
      readonly press: "Take" | "Done" | "Give back";
      readonly back: number;
    }
);

export type Kind = Happening["kind"];

/** All that a history is made of. What else is drawn while it runs comes from streams of its seed. */
export interface History {
  readonly seed: number;
  readonly setup: Setup;
  readonly happenings: readonly Happening[];
}

const clock = (ms: number) => {
  const seconds = Math.floor(ms / 1_000);
  const part = (value: number) => String(value).padStart(2, "0");
  return `${part(Math.floor(seconds / 3_600))}:${part(Math.floor(seconds / 60) % 60)}:${part(seconds % 60)}.${String(Math.floor(ms) % 1_000).padStart(3, "0")}`;
};

/** Milliseconds since the start as hours, minutes and seconds. */
export const clockOf = clock;

const inWords = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inWords).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, inner]) => `${key}: ${inWords(inner)}`)
      .join(", ")}}`;
  return String(value);
};

/** A history as lines that people read. */
export function describe({ seed, setup, happenings }: History): string[] {
  const { startsAt, ...rest } = setup;
  return [
    `seed ${seed}, from ${new Date(startsAt).toISOString()}`,
    ...Object.entries(rest).map(([name, value]) => `  ${name}: ${inWords(value)}`),
    ...happenings.map(
      ({ at, kind, id: _, ...more }) =>
        `  ${clock(at)} ${kind} ${Object.entries(more)
          .map(([name, value]) => `${name}: ${inWords(value)}`)
          .join(", ")}`,
    ),
  ];
}
