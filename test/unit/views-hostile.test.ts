import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { locales } from "../../src/basics/locale.ts";
import {
  type AlertOrder,
  alertBatchSize,
  alertMessage,
  reminderMessage,
} from "../../src/views/alerts/alert-message.ts";
import { customerPage, theirOrders } from "../../src/views/orders/customer-page.ts";
import { handledAlert, noTakes } from "../../src/views/orders/handling.ts";
import { orderCard } from "../../src/views/orders/order-card.ts";
import { orderPage } from "../../src/views/orders/order-page.ts";
import { row } from "../../src/views/parts/components.ts";
import { customIds } from "../../src/views/parts/custom-ids.ts";
import { backRow } from "../../src/views/parts/list-page.ts";
import { connectModal, jumpModal } from "../../src/views/parts/modals.ts";
import { notice } from "../../src/views/parts/notice.ts";
import { problemNotice } from "../../src/views/parts/problem.ts";
import { productCard } from "../../src/views/products/product-card.ts";
import { productPage } from "../../src/views/products/product-page.ts";
import { auditActs, auditPage, auditPageSize } from "../../src/views/settings/audit-log.ts";
import { sized } from "../support/sized.ts";
import {
  anyContext,
  anyNumber,
  anyOrder,
  anyProduct,
  anyText,
  expectAccepted,
  expectModalAccepted,
} from "../support/views-support.ts";

const anyPaging = fc.record({
  page: fc.integer({ min: 1, max: 1_000_000 }),
  lastPage: fc.integer({ min: 1, max: 1_000_000 }),
  notes: fc.array(fc.string({ maxLength: 2_000 }), { maxLength: 5 }),
  session: fc.string({ unit: fc.constantFrom(..."abcxyz0189"), minLength: 1, maxLength: 20 }),
});

const anyAlertOrder: fc.Arbitrary<AlertOrder> = fc
  .tuple(anyOrder, fc.boolean(), fc.option(fc.oneof(fc.nat(4e12), anyNumber), { nil: undefined }))
  .map(([order, known, changedAt]) => ({
    id: order.id,
    status: order.status,
    items: order.items.map((item) => ({ title: item.productTitle, quantity: item.quantity })),
    total: order.pricing.total,
    paymentMethod: order.paymentMethod,
    createdAt: order.createdAt,
    ...(known ? { customer: order.customer } : {}),
    ...(changedAt === undefined ? {} : { changedAt }),
  }));

const anyBy = fc.oneof(anyText, fc.constant("100000000000000001"));
const anyDone = fc.record({ by: anyBy, at: anyNumber });
const anyHandling = fc.record({
  take: fc.option(fc.record({ by: anyBy, at: anyNumber, done: fc.option(anyDone, { nil: undefined }) }), {
    nil: undefined,
  }),
  past: fc.array(fc.record({ press: fc.constantFrom("take", "done", "back"), by: anyBy, at: anyNumber }), {
    maxLength: 10,
  }),
});

/** What people look for. */
const anyFilter = fc.array(anyText, { maxLength: 25 });

const runs = { numRuns: sized(30, 80) };

describe("Discord takes, whatever the store says and in every language,", () => {
  it("an order card", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(anyOrder, anyHandling, anyContext, (order, handling, ctx) => {
        expectAccepted(orderCard(order, ctx));
        expectAccepted(orderCard(order, ctx, { rows: [backRow(customIds.orders, "s", 2, ctx.locale)], handling }));
        const theirs = theirOrders(order, "full", ctx);
        if (theirs.length > 0) expectAccepted(orderCard(order, ctx, { rows: [row(...theirs)] }));
        expectAccepted(orderCard(order, ctx, { rows: [backRow(customIds.orders, "s", 2, ctx.locale, theirs)] }));
      }),
      runs,
    );
  });

  it("a page of orders", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        anyPaging,
        fc.array(anyOrder, { maxLength: 12 }),
        anyContext,
        anyFilter,
        (paging, orders, ctx, typed) => {
          const orderFilter = { statuses: typed, email: typed[0] };
          expectAccepted(orderPage({ ...paging, orders, filter: orderFilter }, ctx));
        },
      ),
      runs,
    );
  });

  it("a page of one customer's orders", { timeout: 60_000 }, () => {
    const anySums = fc.record({
      count: fc.nat(),
      total: anyNumber,
      firstAt: fc.option(anyNumber, { nil: undefined }),
      lastAt: fc.option(anyNumber, { nil: undefined }),
      isAll: fc.boolean(),
    });
    fc.assert(
      fc.property(anyPaging, fc.array(anyOrder, { maxLength: 12 }), anyOrder, anySums, anyContext, (...any) => {
        const [paging, orders, { customer }, sums, ctx] = any;
        expectAccepted(customerPage({ ...paging, orders, customer, sums }, ctx));
      }),
      runs,
    );
  });

  it("a page of the log", () => {
    const entry = fc.record({
      at: anyNumber,
      by: anyBy,
      firstAt: anyNumber,
      times: anyNumber,
      did: fc.oneof(anyText, fc.constantFrom(...auditActs)),
      what: fc.oneof(anyText, fc.constantFrom("100000000000000001", "none", "constructor", "", null)),
    });
    const shown = fc.record({
      entries: fc.array(entry, { maxLength: 20 }),
      page: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 1 }),
      hasMore: fc.boolean(),
    });
    fc.assert(
      fc.property(shown, fc.constantFrom(...locales), (page, locale) => expectAccepted(auditPage(page, locale))),
      runs,
    );
  });

  it.each(locales)("a page of the longest entries of who did what (%s)", (locale) => {
    const [at, by] = [8.64e15, "9".repeat(20)];
    for (const what of ["9".repeat(100), "9".repeat(20), null]) {
      for (const did of auditActs) {
        const entry = { at, firstAt: at, times: Number.MAX_VALUE, by, did, what };
        const entries = Array.from({ length: auditPageSize }, () => entry);
        expectAccepted(auditPage({ entries, page: 1, hasMore: true }, locale));
      }
    }
  });

  it("a product card", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        anyProduct,
        anyContext,
        fc.array(fc.string({ maxLength: 500 }), { maxLength: 8 }),
        (product, ctx, details) => {
          expectAccepted(productCard(product, ctx));
          expectAccepted(productCard(product, ctx, { heading: "Preview", details, inCategory: details }));
        },
      ),
      runs,
    );
  });

  it("a page of products", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        anyPaging,
        fc.array(anyProduct, { maxLength: 12 }),
        anyContext,
        anyFilter,
        (paging, products, ctx, typed) => {
          const filter = { title: typed[0], categoryId: typed[1], inCategory: typed };
          expectAccepted(productPage({ ...paging, products, filter }, ctx));
        },
      ),
      runs,
    );
  });

  const someOrders = fc.oneof(
    fc.array(anyAlertOrder, { minLength: 1, maxLength: 3 }),
    fc.array(anyAlertOrder, { minLength: alertBatchSize, maxLength: alertBatchSize }),
  );

  it("an alert of one order or many", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(someOrders, anyContext, fc.boolean(), (orders, ctx, sample) => {
        expectAccepted(alertMessage(orders, ctx, { sample, roleId: "123456789012345678" }));
        expectAccepted(alertMessage(orders, ctx));
      }),
      runs,
    );
  });

  it("an alert whose orders somebody took or gave back, and a reminder of them", { timeout: 60_000 }, () => {
    const anyone = fc.oneof(fc.constant("9".repeat(20)), anyText);
    const anyTake = fc.record(
      { by: anyone, at: anyNumber, done: fc.record({ by: anyone, at: anyNumber }) },
      { requiredKeys: ["by", "at"] },
    );
    const someTakes = fc.array(fc.option(anyTake, { nil: undefined }), {
      minLength: alertBatchSize,
      maxLength: alertBatchSize,
    });
    fc.assert(
      fc.property(someOrders, someTakes, anyContext, fc.boolean(), (orders, drawn, ctx, rings) => {
        const ids = orders.map(({ id }) => id);
        const takes = new Map(ids.flatMap((id, at) => (drawn[at] === undefined ? [] : [[id, drawn[at]] as const])));
        const roleId = rings ? "123456789012345678" : undefined;
        const options = roleId === undefined ? {} : { roleId };
        const alert = alertMessage(orders, ctx, options);
        const taken = { ...alert, ...handledAlert(alert.content, ids, takes, ctx.locale) };
        expectAccepted(taken);
        // An alert that is made with them, and one that they come to later, say the same.
        expect(taken).toEqual(alertMessage(orders, ctx, { ...options, takes }));
        expect({ ...taken, ...handledAlert(taken.content, ids, noTakes, ctx.locale) }).toEqual(alert);
        expectAccepted(reminderMessage(orders, ctx, { takes, roleId }));
      }),
      runs,
    );
  });

  it("a notice, and a problem with the store's own words", () => {
    fc.assert(
      fc.property(anyText, anyText, fc.constantFrom(...locales), (text, detail, locale) => {
        expectAccepted(notice({ title: "Done", body: text.toWellFormed(), tone: "ok" }));
        expectAccepted(problemNotice({ code: "invalid", detail }, locale, text));
        expectAccepted(problemNotice({ code: "forbidden", permissions: [text, detail] }, locale));
      }),
    );
  });

  it("the windows", () => {
    for (const locale of locales) {
      expectModalAccepted(connectModal("store:token", locale));
      expectModalAccepted(jumpModal("orders:jump:s", 1_000_000, locale));
    }
  });
});
