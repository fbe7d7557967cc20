import { afterEach, beforeEach, expect, it } from "vitest";
import { type BaselineRow, baselineTable } from "../../src/baseline/baseline-row.ts";
import { createGuilds } from "../../src/guilds/guilds.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { newListBaseline } from "../../src/orders/baseline-rules.ts";
import { toOneBaseline } from "../../src/storage/migrations/5-to-6-baseline.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { StorageError, type WholeStorage } from "../../src/storage/table.ts";
import { cutShortAnywhere } from "../support/cut-short.ts";
import { keysIn, stored } from "../support/stored.ts";

// Rows of data version 5, for one server in each state.

const since = 1_700_000_000_000;
const alerts = { channelId: "2", statuses: ["PENDING"], since };
const unreadAlerts = { ...alerts, isUnread: true };
const routes = [{ id: "r", name: "Paid", channelId: "3", style: "feed", status: "PAID" }];
const fresh = { statuses: ["PENDING"], since, page: 1, pass: 1, clean: true, done: false, counted: 0 };
/** The state as it is read today. */
const readAs = ({ done, counted }: typeof fresh) => ({
  lists: [{ ...newListBaseline(["PENDING"], since), done, counted }],
});
const onPage3 = { ...fresh, page: 3, lastPage: 7, counted: 200 };
const orders = [["a", "PENDING"] as const];
const found = { orders, alerting: ["PENDING"], awaited: ["PAID"], all: false };

interface State {
  readonly alerts?: object;
  /** Rows of the earlier tables. */
  readonly rows: Readonly<Record<string, unknown>>;
  readonly becomes: BaselineRow | "failure" | undefined;
}

const states: Readonly<Record<string, State>> = {
  "a reading under way": {
    alerts,
    rows: { begun: { id: "x", store: since, state: fresh }, backlog: { ...onPage3, of: "x" } },
    becomes: { reading: readAs(onPage3) },
  },
  "a reading that is done": {
    alerts,
    rows: { begun: { id: "x", store: since, state: fresh }, backlog: { ...onPage3, of: "x", done: true } },
    becomes: { reading: readAs({ ...onPage3, done: true }) },
  },
  "begun, and not polled since": {
    alerts,
    rows: { begun: { id: "y", store: since, state: fresh }, backlog: { ...onPage3, of: "x" } },
    becomes: { reading: readAs(fresh) },
  },
  "what 0.1.0 began": { alerts, rows: { backlog: onPage3 }, becomes: { reading: readAs(onPage3) } },
  "another store, not polled yet": {
    alerts: unreadAlerts,
    rows: {
      begun: { id: "x", store: since - 5, state: fresh },
      backlog: { ...onPage3, since: since - 5, of: "x" },
      waiting: [{ orders, complete: false, baseline: fresh }],
      started: { since: since - 5 },
    },
    becomes: { reading: readAs(fresh), pending: { found: [found], isOtherStore: true } },
  },
  "another store, of which nothing is known": {
    alerts: unreadAlerts,
    rows: { waiting: "malformed" },
    becomes: { reading: readAs(fresh), pending: { found: [{ ...found, orders: [] }], isOtherStore: true } },
  },
  "another store, and a status that was added before a poll": {
    alerts: unreadAlerts,
    rows: {
      begun: { id: "x", store: since, state: { ...fresh, counted: 5 } },
      waiting: [{ orders, complete: false, baseline: fresh }],
    },
    becomes: { reading: readAs({ ...fresh, counted: 5 }), pending: { found: [found], isOtherStore: true } },
  },
  "another store whose reading is under way": {
    alerts: unreadAlerts,
    rows: {
      backlog: { ...onPage3, of: String(since) },
      waiting: [{ orders, complete: false, baseline: fresh }],
      started: { since },
    },
    becomes: { reading: readAs(onPage3) },
  },
  "another store whose reading has not begun": {
    alerts: unreadAlerts,
    rows: { waiting: [{ orders, complete: false, baseline: fresh }], started: { since } },
    becomes: { reading: readAs(fresh) },
  },
  "a malformed reading": { alerts, rows: { backlog: 5 }, becomes: "failure" },
  "a malformed beginning": { alerts, rows: { begun: 5, backlog: onPage3 }, becomes: "failure" },
  "it is malformed for which store the orders stand": {
    alerts: unreadAlerts,
    rows: { started: 5 },
    becomes: "failure",
  },
  "alerts that are off": { rows: { started: { since }, waiting: [] }, becomes: undefined },
};

let storage: WholeStorage;
const ids = Object.keys(states).map((_, index) => String(index + 1));
beforeEach(async () => {
  storage = await openStorage("sqlite://:memory:", { warn: () => undefined });
  for (const [index, { alerts, rows }] of Object.values(states).entries()) {
    const id = ids[index] ?? "";
    const guild = { id, settings: { language: "en", privacy: "none" }, ...(alerts && { alerts }), routes };
    await storage.table(stored("guilds")).set(id, guild);
    for (const [name, row] of Object.entries(rows)) {
      await storage.table(stored(name, name === "waiting" ? 2 : 1)).set(id, row);
    }
  }
});
afterEach(() => storage.close());

const rowsNow = () =>
  Promise.all(
    ids.map((id) =>
      storage
        .table(baselineTable)
        .get(id)
        .catch((error: unknown) => (error instanceof StorageError ? "failure" : error)),
    ),
  );
const expected = Object.values(states).map(({ becomes }) => becomes);

it("the baseline is one row of each server whose alerts are on, wherever the migration was cut short", async () => {
  await cutShortAnywhere(storage, toOneBaseline);

  const now = await rowsNow();
  for (const [index, name] of Object.keys(states).entries()) expect(now[index], name).toEqual(expected[index]);
  for (const name of ["backlog", "begun", "waiting", "started"]) expect(await keysIn(storage, name)).toEqual([]);
  // The record has no flag of its own any more.
  const guilds = createGuilds({ storage, vault: createVault([Buffer.alloc(32, 7)]) });
  for (const id of ids) expect((await guilds.get(id)).alerts ?? alerts).toEqual(alerts);
});
