import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store, StoreApi } from "../../src/store-api/store-api.ts";
import type { PretendStore } from "../sandbox/store/start-store.ts";
import { failure, product, type StoreClient, startStoreClient } from "../support/store-client.ts";

let client: StoreClient;
let pretend: PretendStore;
let api: StoreApi;
let store: Store;
let logged: readonly unknown[];
let open: StoreClient["open"];

beforeEach(async () => {
  client = await startStoreClient();
  ({ pretend, api, store, logged, open } = client);
});
afterEach(() => client.close());

describe("secrets and the API's raw words", () => {
  const revealed = (error: Error) => `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;

  it("are in no error and no log line, and neither are ids and e-mail addresses", async () => {
    const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
    const wrong = api.forToken("tok_WRONG-SECRET", "interactive");
    const callsThatFail = 6;
    const errors = [await failure(wrong.listOrders({ email: "ana@example.com" })), await failure(store.getOrder(id))];
    for (const rule of [
      { garbage: "Refused-Body-Noise" },
      { drop: "after" },
      { status: 500 },
      { status: 400, garbage: "Refused-Body-Noise" },
    ] as const) {
      pretend.fail({ ...rule, times: 3 });
      errors.push(await failure(store.listOrders()));
    }

    const everything = errors.map(revealed).join() + JSON.stringify(logged);

    for (const secret of ["SECRET", "Noise", "Bearer", id, "ana@"]) expect(everything).not.toContain(secret);
    expect(logged.length, "and the log does tell of the calls").toBeGreaterThanOrEqual(callsThatFail);
  });

  it("are removed if the API repeats the token in its refusal, and so is markup", async () => {
    const message = `<b>No</b> token\u0000 ${pretend.token}\nmay [do](http://evil) **this** <@123>`;
    pretend.fail({ status: 400, body: { message } });

    expect(await failure(store.listOrders())).toMatchObject({ detail: "No token … may [do] (http://evil) this" });
  });

  it.each(["", "line\nbreak", "ключ"])("are never sent if the token cannot be one: %j", async (token) => {
    expect((await failure(api.forToken(token, "interactive").listOrders())).code).toBe("unauthorized");
    expect(pretend.requests).toHaveLength(0);
  });
});

it("400 hanging calls to one store delay no other: at most four are under way (0.1.0: 400, and the store's own poll behind them)", async () => {
  const patient = open(pretend.url, { interactive: 20_000 });
  const hanging = pretend.addShop();
  pretend.fail({ token: hanging.token, hold: new Promise(() => undefined), times: 3 });
  const hung = Array.from({ length: 400 }, () => failure(patient.forToken(hanging.token, "interactive").listOrders()));
  const heldOpen = () => pretend.requests.filter(({ isOpen }) => isOpen).length;
  await pretend.waitFor(() => heldOpen() === 3, "three hung requests");
  const startedAt = performance.now();

  await patient.forToken(pretend.token, "interactive").listOrders();
  await patient.forToken(hanging.token, "background").listOrders();

  expect(performance.now() - startedAt).toBeLessThan(1_000);
  expect(heldOpen()).toBe(3);

  await patient.close();
  expect(new Set((await Promise.all(hung)).map(({ code }) => code))).toEqual(new Set(["rate_limited", "unavailable"]));
});

it("closing ends the calls under way promptly and without a further attempt, and later calls at once", async () => {
  const own = open(pretend.url, { interactive: 60_000 });
  const ours = own.forToken(pretend.token, "interactive");
  const paused = pretend.addShop();
  pretend.fail({ token: paused.token, status: 429, headers: { "retry-after": "20" } });
  pretend.fail({ token: pretend.token, delayMs: 10_000 });
  const calls = [
    failure(own.forToken(paused.token, "interactive").listOrders()),
    failure(ours.listOrders()),
    failure(ours.createProduct(product)),
  ];
  await pretend.waitFor(() => pretend.requests.length === 3, "two reads and a creation");
  const startedAt = performance.now();

  await own.close();

  expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(["unavailable", "unavailable", "ambiguous"]);
  expect((await failure(ours.createProduct(product))).code).toBe("unavailable");
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  expect(pretend.requests).toHaveLength(3);
});
