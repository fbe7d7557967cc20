import { afterEach, describe, expect, it, vi } from "vitest";
import { orderExport } from "../../../src/reports/export-formats.ts";
import { type ExportFormat, runExport } from "../../../src/reports/run-export.ts";
import type { Order } from "../../../src/store-api/schemas.ts";
import { type Page, StoreError } from "../../../src/store-api/store-api.ts";
import type { ExportProgress } from "../../../src/views/reports/export.ts";
import { csvRecords } from "../../support/csv-reader.ts";
import { anOrder } from "../../support/views-support.ts";

const dayMs = 24 * 60 * 60_000;
const now = Date.UTC(2026, 10, 21, 12);

/** An hour apart, the newest first. */
const orderOf = (index: number, more: Partial<Order> = {}): Order => {
  const status = index % 2 === 0 ? "PENDING" : "PAID";
  return anOrder({ id: `order ${index}`, status, createdAt: now - index * 60 * 60_000, ...more });
};

afterEach(() => void vi.useRealTimers());

/** The longest time of an export. */
const forMs = 20_000;
const whole = { statuses: undefined, days: {}, privacy: "full" } as const;

/** `fault` may throw or wait before a page. */
async function run(
  orders: readonly Order[],
  options: {
    readonly plan?: ExportFormat<Order>;
    readonly ending?: AbortSignal;
    readonly fault?: (request: number, signal: AbortSignal) => Promise<void> | void;
    readonly isCancelled?: () => boolean;
    readonly show?: (progress: ExportProgress) => unknown;
  } = {},
) {
  const { plan = orderExport(whole), fault, isCancelled, show } = options;
  const files: string[] = [];
  let requests = 0;
  const read = async (page: number, limit: number, signal: AbortSignal): Promise<Page<Order>> => {
    requests += 1;
    await fault?.(requests, signal);
    signal.throwIfAborted();
    const items = orders.slice((page - 1) * limit, page * limit);
    return { items, lastPage: Math.max(Math.ceil(orders.length / limit), 1), skipped: 0 };
  };
  const result = await runExport(plan, read, {
    fileBytes: 1e7,
    watcher: {
      isCancelled: async () => isCancelled?.() ?? false,
      show: async (progress) => void (await show?.(progress)),
      async send(part, number) {
        files.push(part.toString());
        expect(number).toBe(files.length);
      },
    },
    waitMs: () => 0,
    until: performance.now() + forMs,
    ending: options.ending ?? new AbortController().signal,
    timing: { beatMs: 1, showEveryBeats: 1, pauseMs: 1 },
  });
  expect(result.sent).toBe(files.length);
  if (result.rest) files.push(result.rest.toString());
  return { ...result, requests, records: files.flatMap(csvRecords) };
}

const orders = (count: number) => Array.from({ length: count }, (_, index) => orderOf(index));
/** Rejects when the signal does. */
const hang = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });

describe("an export", () => {
  it("has only the wanted statuses, each order once, if the API ignores the filter", async () => {
    const { records, read } = await run(orders(250), { plan: orderExport({ ...whole, statuses: ["paid"] }) });

    expect(records.map(({ id }) => id)).toEqual(orders(250).flatMap(({ id, status }) => (status === "PAID" ? id : [])));
    expect(read).toBe(250);
  });

  it("ends after the page that is older than the first day, if the newest come first", async () => {
    const days = { from: now - 3 * dayMs, before: now - 1 * dayMs };
    const { records, end, requests } = await run(orders(5_000), { plan: orderExport({ ...whole, days }) });

    expect(records).toHaveLength(48);
    expect(records.at(0)?.createdAt).toBe("2026-11-20T11:00:00.000Z");
    expect(records.at(-1)?.createdAt).toBe("2026-11-18T12:00:00.000Z");
    expect(end).toBe("whole");
    expect(requests).toBeLessThan(5);
  });

  it.each([
    ["if the oldest come first", (list: Order[]) => list.reverse()],
    ["if one order is out of sequence", (list: Order[]) => [orderOf(4_999, { id: "odd" }), ...list]],
  ])("reads to the end %s", async (_, arranged) => {
    const days = { from: now - 3 * dayMs };
    const { records } = await run(arranged(orders(2_000)), { plan: orderExport({ ...whole, days }) });

    expect(records).toHaveLength(73);
  });

  it("counts orders without a date only if days are chosen", async () => {
    const list = [orderOf(0), orderOf(1, { createdAt: undefined }), orderOf(2)];

    const dated = await run(list, { plan: orderExport({ ...whole, days: { from: now - dayMs } }) });
    const all = await run(list);

    expect([dated.written, dated.undated]).toEqual([2, 1]);
    expect([all.written, all.undated]).toEqual([3, 0]);
  });

  it("ends with the orders read so far, in the middle of a request, if its time is over", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const { end, written, records, requests } = await run(orders(1_000), {
      fault(request, signal) {
        if (request !== 4) return;
        vi.advanceTimersByTime(forMs);
        return hang(signal);
      },
    });

    expect([end, requests]).toEqual(["late", 4]);
    expect(written).toBeGreaterThan(250);
    expect(records).toHaveLength(written);
  });

  it("reads nothing if the process is already ending", async () => {
    expect(await run(orders(9), { ending: AbortSignal.abort() })).toMatchObject({ end: "ending", read: 0 });
  });

  it("ends after a progress message that is being sent, so that the final answer comes last", async () => {
    const events: string[] = [];
    await run(orders(500), {
      show: async () => {
        events.push("sent");
        for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
        events.push("shown");
      },
      fault: async () => {
        while (events.length === 0) await new Promise(setImmediate);
      },
    });

    expect(events.at(-1)).toBe("shown");
  });

  it("goes on if it cannot be found out whether it was cancelled", async () => {
    let asked = 0;
    const { end } = await run(orders(500), {
      isCancelled: () => {
        asked += 1;
        throw new Error("the storage is away");
      },
      fault: async () => {
        const before = asked;
        while (asked === before) await new Promise(setImmediate);
      },
    });

    expect(end).toBe("whole");
  });

  it("reads a page again if the store failed, and waits as long as the store asks", async () => {
    const failures = [
      new StoreError("unavailable", "x"),
      new StoreError("timeout", "x"),
      new StoreError("rate_limited", "x", { retryAfterMs: 5 }),
      new StoreError("rate_limited", "x", { retryAfterMs: 5 }),
    ];
    const { end, records } = await run(orders(500), {
      fault: (request) => {
        const failure = request > 2 ? failures.shift() : undefined;
        if (failure) throw failure;
      },
    });

    expect(end).toBe("whole");
    expect(records).toHaveLength(500);
    expect(failures).toEqual([]);
  });

  it.each([
    ["the first page fails", 1, 1, new StoreError("unavailable", "x")],
    ["a page fails three times", 4, 6, new StoreError("unavailable", "x")],
    ["the token is refused", 2, 2, new StoreError("unauthorized", "x")],
    ["the store asks for too long a wait", 2, 2, new StoreError("rate_limited", "x", { retryAfterMs: 200_000 })],
  ])("ends with the orders read so far and the reason: %s", async (_, from, expected, error) => {
    const { end, requests, records } = await run(orders(1_000), {
      fault: (request) => {
        if (request >= from) throw error;
      },
    });

    expect([end, requests]).toEqual([error, expected]);
    expect(records.length).toBeGreaterThanOrEqual((from - 1) * 80);
  });

  it("shows its progress, and whether there is too little time", async () => {
    const shown: ExportProgress[] = [];
    const first = () => shown.find(({ written }) => written === 100);
    await run(orders(9_000), {
      show: (progress) => shown.push(progress),
      isCancelled: () => first() !== undefined,
      fault: async (request) => {
        while (request === 2 && first() === undefined) await new Promise(setImmediate);
      },
    });

    // 8,900 rows are more than 90 requests at 4 a second.
    expect(first()).toMatchObject({ read: 100, about: 9_000, isTooMuch: true });
    expect(first()?.leftMs).toBeGreaterThan(22_000);
  });
});
