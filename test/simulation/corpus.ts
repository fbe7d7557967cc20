import type { Happening, History } from "./history.ts";
import { plain } from "./setup.ts";

type Orders = Extract<Happening, { kind: "orders" }>;

/**
 * Orders of a product that the store has already. Their status is PENDING unless `more` says otherwise. `steps` has the next
 * statuses, each with the milliseconds since the previous status.
 */
const orders = (
  at: number,
  id: number,
  count: number,
  steps: Readonly<Record<string, number>> = {},
  more: Partial<Orders> = {},
): Orders => ({
  at,
  id,
  kind: "orders",
  count,
  status: "PENDING",
  steps: Object.entries(steps).map(([to, afterMs]) => ({ afterMs, to })),
  product: "old",
  category: 0,
  ...more,
});

/** The values of a setup that differ from {@link plain}. */
type Setup = Partial<Omit<History["setup"], "store">> & { readonly store?: Partial<History["setup"]["store"]> };

const history = (seed: number, { store, ...setup }: Setup, happenings: readonly Happening[]): History => ({
  seed,
  setup: { ...plain, ...setup, store: { ...plain.store, ...store } },
  happenings,
});

const both = ["PENDING", "PAID"];

/** One history for each fault of the bot that the simulation found. The faults are repaired, so no history fails now. */
export const corpus: Readonly<Record<string, History>> = {
  "behind orders of other statuses": history(
    500147,
    {
      hours: 2.5,
      schedule: "0 0 * * * *",
      pollMs: 3_600_000,
      statuses: both,
      latency: { store: [20, 100], discord: [40, 150] },
      store: { honoursStatus: false, ids: "number", waiting: { PENDING: 18, PAID: 198 } },
    },
    [
      orders(109_614, 1, 26, {}, { category: 2 }),
      orders(2_291_633, 2, 1173, { PAID: 51_539, REFUNDED: 203_436 }, { category: 2 }),
    ],
  ),
  "cancelled after an unclear answer": history(
    5,
    {
      schedule: "*/5 * * * * *",
      pollMs: 5000,
      hours: 0.4,
      statuses: both,
      store: { waiting: { PENDING: 5 } },
    },
    [
      orders(300_000, 0, 1, { PAID: 30_000, CANCELLED: 40_000 }),
      { at: 325_000, id: 1, kind: "discord-fault", how: "lost-request", forMs: 240_000, share: 1 },
    ],
  ),
  "catch up cut short": history(
    118,
    {
      hours: 0.4,
      schedule: "0 * * * * *",
      pollMs: 60_000,
      store: { waiting: { PENDING: 5 } },
    },
    [orders(340_000, 0, 2600), { at: 375_000, id: 1, kind: "kill", downMs: 1000 }],
  ),
  "category on a later page": history(
    258,
    {
      hours: 0.7,
      latency: { store: [300, 2500], discord: [40, 150] },
      store: { products: 350 },
    },
    [
      { at: 364_206, id: 34, kind: "kill", downMs: 142_906 },
      { at: 739_911, id: 27, kind: "rule", name: "Keys", channel: "staff", style: "staff", when: { category: 2 } },
      orders(2_002_233, 1, 1, {}, { category: 2 }),
    ],
  ),
  "doubt in a closed channel": history(
    5001,
    {
      hours: 0.7,
      statuses: both,
      store: { ordering: "last-changed-first" },
    },
    [
      { at: 8000, id: 1, kind: "rule", name: "Keys", channel: "keys", style: "staff", when: { category: 2 } },
      { at: 9000, id: 2, kind: "rule", name: "Wins", channel: "wins", style: "feed", when: { status: "PAID" } },
      { at: 10_000, id: 3, kind: "remind", minutes: 5 },
      { at: 534_805, id: 19, kind: "channel", channel: "staff", how: "closed", forMs: 59_540 },
      { at: 547_044, id: 21, kind: "alerts-set", channel: "staff", statuses: both },
      { at: 572_080, id: 25, kind: "second-process", forMs: 593_956 },
      orders(663_281, 6, 6, { PAID: 297_807 }, { category: 2 }),
      { at: 756_426, id: 17, kind: "discord-fault", how: "mixed", forMs: 43_522, share: 1 },
      { at: 842_420, id: 13, kind: "discord-fault", how: "limited", forMs: 49_779, share: 0.6 },
      { at: 928_635, id: 15, kind: "discord-fault", how: "refused-together", forMs: 49_158, share: 0.6 },
      orders(975_381, 11, 6, {}, { category: 1 }),
      orders(1_005_839, 7, 3, { PAID: 428_385, CANCELLED: 196_754 }, { category: 2 }),
      orders(1_239_808, 9, 60, {}, { category: 2 }),
      { at: 1_273_365, id: 24, kind: "kill", downMs: 16_949, afterPost: 3 },
      orders(1_301_729, 8, 8, { PAID: 268_078, REFUNDED: 250_912 }, { category: 3 }),
      { at: 1_319_149, id: 16, kind: "discord-fault", how: "refused", forMs: 23_144, share: 0.6 },
      orders(1_408_875, 4, 6, { PAID: 288_677, DELIVERED: 248_924 }, { category: 1 }),
      { at: 1_650_923, id: 22, kind: "kill", downMs: 15_537, afterPost: 10 },
      orders(1_693_142, 5, 8, { PAID: 210_769 }, { category: 2 }),
      { at: 1_703_216, id: 20, kind: "channel", channel: "keys", how: "closed", forMs: 231_420 },
      { at: 1_763_592, id: 18, kind: "channel", channel: "wins", how: "closed", forMs: 60_952 },
      orders(1_781_736, 12, 3, { PAID: 466_235, DELIVERED: 178_384 }, { category: 2 }),
      { at: 1_824_017, id: 14, kind: "discord-fault", how: "unavailable", forMs: 34_390, share: 0.3 },
      { at: 1_827_659, id: 23, kind: "kill", downMs: 8349 },
      orders(1_876_049, 10, 30, { PAID: 187_718, REFUNDED: 71_704 }, { category: 2 }),
    ],
  ),
  "edit that something else answered": history(
    3091,
    {
      hours: 0.4,
      schedule: "*/2 * * * * *",
      pollMs: 2000,
      privacy: "masked",
      latency: { store: [50, 400], discord: [200, 1500] },
      store: {
        ordering: "last-changed-first",
        honoursStatus: false,
        times: "same",
        waiting: { PENDING: 0, PAID: 444 },
      },
    },
    [
      orders(679_092, 18, 1, { PAID: 207_118 }, { category: 1 }),
      { at: 736_700, id: 26, kind: "discord-fault", how: "not-discord", forMs: 1_439_617, share: 0.5 },
    ],
  ),
  "ids that are no uuids": history(146, { hours: 0.8, statuses: ["PAID"], store: { ids: "number" } }, [
    orders(
      2_386_377,
      3,
      1,
      { EXPIRED: 33_523 },
      {
        status: "PAID",
        product: "unlisted",
        category: 1,
      },
    ),
  ]),
  "left the list while owed": history(134, { hours: 0.3 }, [
    { at: 688_447, id: 32, kind: "channel", channel: "new-orders", how: "closed", forMs: 673_598 },
    orders(798_039, 5, 1, { EXPIRED: 215_319 }),
  ]),
  "left while the lease was lost": history(5605, { hours: 1.5, privacy: "full" }, [
    { at: 2_939_461, id: 39, kind: "store-fault", how: "no-answer", forMs: 35_056, share: 1, what: "all" },
    orders(3_030_403, 11, 1, { PAID: 12_865, DELIVERED: 3695 }, { category: 2 }),
    orders(5_142_470, 6, 1, { EXPIRED: 72_072 }),
    { at: 5_145_612, id: 48, kind: "alerts-set", channel: "new-orders", statuses: both },
    { at: 5_170_015, id: 41, kind: "disk-fault", how: "busy", forMs: 58_092, share: 1 },
    { at: 5_175_429, id: 49, kind: "privacy", privacy: "none" },
  ]),
  "limited between a lost answer and a refusal": history(
    5772,
    {
      hours: 0.3,
      statuses: both,
      privacy: "masked",
      latency: { store: [50, 400], discord: [80, 400] },
      store: { severalStatuses: "first" },
    },
    [
      orders(22_365, 3, 1, {}, { category: 2 }),
      { at: 101_307, id: 30, kind: "discord-fault", how: "mixed", forMs: 1_474_270, share: 0.5 },
      orders(224_115, 6, 1, { PAID: 783_468 }, { category: 2 }),
      orders(471_944, 16, 400, {}, { category: 2 }),
    ],
  ),
  "moved while an alert waits": history(
    5,
    {
      schedule: "*/5 * * * * *",
      pollMs: 5000,
      hours: 0.2,
      store: { waiting: { PENDING: 5 } },
    },
    [
      orders(300_000, 0, 1),
      { at: 300_500, id: 1, kind: "discord-fault", how: "limited", forMs: 6000, share: 1 },
      { at: 306_600, id: 2, kind: "alerts-set", channel: "staff", statuses: ["PENDING"] },
    ],
  ),
  "paid and delivered": history(275, { hours: 1.5, statuses: both }, [
    orders(1_942_089, 3, 1, { PROCESSING: 1_583_720, DELIVERED: 1_363_575 }, { status: "PAID" }),
  ]),
  "paid during the first reading": history(
    118,
    {
      hours: 0.5,
      statuses: ["PAID"],
      store: { waiting: { PENDING: 20, PAID: 900 }, rowsPerPage: 10 },
    },
    [{ at: 3000, id: 0, kind: "waiting-move", count: 5, to: "PAID" }],
  ),
  "paid while alerts were off": history(
    52,
    {
      hours: 1.5,
      statuses: both,
      latency: { store: [50, 400], discord: [80, 400] },
      store: { ordering: "by-id", times: "missing" },
    },
    [
      orders(3_225_422, 1, 1, { PAID: 2_587_660 }, { category: 2 }),
      { at: 5_261_748, id: 18, kind: "alerts-off", forMs: 757_823 },
    ],
  ),
  "paid while its status was not alerted": history(41039, { hours: 0.2, statuses: both }, [
    orders(15_213, 2, 1, { EXPIRED: 2_559_539 }),
    { at: 18_025, id: 31, kind: "discord-fault", how: "late-answer", forMs: 235_320, share: 0.5 },
    orders(26_167, 3, 1, { PROCESSING: 85_260, DELIVERED: 286_953 }, { status: "PAID", product: "new" }),
    { at: 27_236, id: 43, kind: "alerts-set", channel: "staff", statuses: both },
    { at: 57_142, id: 44, kind: "alerts-set", channel: "large", statuses: ["PENDING"] },
  ]),
  "payments of ids that are no uuids": history(2, { privacy: "full", store: { ids: "number" } }, [
    { at: 98_957, id: 27, kind: "alerts-set", channel: "new-orders", statuses: both },
    orders(892_467, 17, 1),
    orders(1_381_335, 19, 1, { gone: 4887, back: 1_203_494 }, { category: 2 }),
    orders(1_610_691, 13, 1),
    orders(3_460_618, 14, 1, { PAID: 11_221 }, { product: "new", category: 2 }),
  ]),
  "refused after a lost answer": history(201, { hours: 0.2 }, [
    orders(194_977, 11, 6, { PAID: 1_912_063, REFUNDED: 724_661 }, { category: 2 }),
    { at: 195_025, id: 14, kind: "discord-fault", how: "mixed", forMs: 173_048, share: 1 },
  ]),
  "reminder after a fast clock": history(159, { hours: 1.2 }, [
    orders(1_614_140, 0, 1, {}, { category: 1 }),
    { at: 1_665_301, id: 16, kind: "remind", minutes: 15 },
    { at: 2_971_251, id: 21, kind: "token", forMs: 674_332 },
    { at: 3_338_008, id: 20, kind: "clock", byMs: 10_957_091, forMs: 545_998 },
    orders(3_713_180, 15, 1),
  ]),
  "reminder read while alerts go off": history(
    78,
    { startsAt: Date.UTC(2026, 10, 1, 3), latency: { store: [300, 2500], discord: [80, 400] } },
    [
      { at: 339_158, id: 15, kind: "remind", minutes: 15, quiet: "12-13" },
      { at: 389_981, id: 19, kind: "token", forMs: 1_148_010 },
      orders(1_314_279, 5, 400, {}, { category: 1 }),
      orders(2_866_909, 6, 1),
      { at: 2_887_498, id: 20, kind: "alerts-off", forMs: 100_493 },
    ],
  ),
  "reminders of rare polls": history(
    118,
    {
      hours: 1,
      schedule: "0 */20 * * * *",
      pollMs: 1_200_000,
      store: { waiting: { PENDING: 5 } },
    },
    [{ at: 10_000, id: 0, kind: "remind", minutes: 5 }, orders(600_000, 1, 5), orders(1_800_000, 2, 5)],
  ),
  "rule made again": history(118, { statuses: both, store: { waiting: { PENDING: 5 } } }, [
    { at: 10_000, id: 0, kind: "rule", name: "Keys", channel: "keys", style: "staff", when: {} },
    orders(300_000, 1, 2, { PAID: 1_200_000 }),
    { at: 600_000, id: 2, kind: "rule-again", name: "Keys", afterMs: 5000 },
  ]),
  "taken in two processes": history(234, { hours: 0.4 }, [
    { at: 82_483, id: 22, kind: "restart", downMs: 48_185 },
    {
      at: 123_614,
      id: 12,
      kind: "rule",
      name: "Wins",
      channel: "large",
      style: "staff",
      when: { category: 1, status: "CANCELLED" },
    },
    { at: 361_935, id: 25, kind: "second-process", forMs: 13_565 },
    orders(549_650, 7, 3, {}, { category: 1 }),
    {
      at: 707_719,
      id: 11,
      kind: "rule",
      name: "Wins",
      channel: "wins",
      style: "staff",
      when: { to: 231, status: "PAID" },
    },
    { at: 1_037_414, id: 24, kind: "second-process", forMs: 290_671 },
    { at: 1_039_431, id: 30, kind: "press", people: 1, press: "Take", back: 4 },
    { at: 1_039_464, id: 29, kind: "press", people: 2, press: "Take", back: 4 },
  ]),
  "not found by mistake": history(340_014, { hours: 0.3 }, [
    { at: 245_096, id: 25, kind: "store-fault", how: "not-found", forMs: 1_730_778, share: 1, what: "orders" },
    orders(677_806, 6, 1, { PAID: 25_075, REFUNDED: 70_650 }, { product: "new" }),
  ]),
  "edited again after a reply": history(5, { statuses: both, hours: 0.6 }, [
    orders(60_000, 1, 8, { REFUNDED: 1_500_000 }, { moving: 3 }),
  ]),
  "stopped while a command read the store": history(
    1,
    { hours: 0.05, store: { waiting: { PAID: 400 } }, latency: { store: [1_500, 2_000], discord: [50, 100] } },
    [
      { at: 60_000, id: 1, kind: "alerts-set", channel: "staff", statuses: both },
      { at: 63_000, id: 2, kind: "restart", downMs: 1_000 },
    ],
  ),
};
