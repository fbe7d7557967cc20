import { describe, expect, it } from "vitest";
import { locales } from "../../src/basics/locale.ts";
import { StoreError } from "../../src/store-api/store-error.ts";
import { type Problem, problemNotice, problemText } from "../../src/views/parts/problem.ts";
import { nodes, textOf } from "../support/views-support.ts";

/** One problem of each code. A new code that is missing here is a type error. */
const each: { readonly [Code in Problem["code"]]: Problem & { readonly code: Code } } = {
  unauthorized: { code: "unauthorized" },
  not_found: { code: "not_found" },
  invalid: { code: "invalid" },
  rate_limited: { code: "rate_limited" },
  unavailable: { code: "unavailable" },
  timeout: { code: "timeout" },
  malformed: { code: "malformed" },
  too_large: { code: "too_large" },
  ambiguous: { code: "ambiguous" },
  cooldown: { code: "cooldown", seconds: 3 },
  bad_page: { code: "bad_page", lastPage: 7 },
  bad_day: { code: "bad_day", today: "2026-11-21" },
  days_reversed: { code: "days_reversed" },
  bad_reminder: { code: "bad_reminder" },
  export_running: { code: "export_running" },
  exports_full: { code: "exports_full" },
  import_broken: { code: "import_broken", line: 7 },
  import_columns: { code: "import_columns", columns: "title, price" },
  import_twice: { code: "import_twice", column: "title" },
  import_empty: { code: "import_empty" },
  import_long: { code: "import_long" },
  import_too_large: { code: "import_too_large" },
  import_not_text: { code: "import_not_text" },
  import_unread: { code: "import_unread" },
  import_changed: { code: "import_changed" },
  import_readings_full: { code: "import_readings_full" },
  full: { code: "full" },
  import_running: { code: "import_running" },
  imports_full: { code: "imports_full" },
  stats_running: { code: "stats_running" },
  stats_late: { code: "stats_late" },
  stats_ending: { code: "stats_ending" },
  bad_zone: { code: "bad_zone" },
  bad_hour: { code: "bad_hour" },
  digest_off: { code: "digest_off" },
  bad_route: { code: "bad_route", why: "exists" },
  forbidden: { code: "forbidden" },
  not_connected: { code: "not_connected" },
  not_allowed: { code: "not_allowed" },
  someone_elses: { code: "someone_elses" },
  expired: { code: "expired" },
  unknown_action: { code: "unknown_action" },
  guild_only: { code: "guild_only" },
  storage: { code: "storage" },
  undecryptable: { code: "undecryptable" },
  bad_uuid: { code: "bad_uuid" },
  bad_email: { code: "bad_email" },
  customers_hidden: { code: "customers_hidden" },
  bad_token: { code: "bad_token" },
  bad_currency: { code: "bad_currency" },
  bad_category: { code: "bad_category" },
  bad_title: { code: "bad_title" },
  bad_picture: { code: "bad_picture" },
  bad_video: { code: "bad_video" },
  bad_price: { code: "bad_price" },
  bad_quantity: { code: "bad_quantity" },
  stock_too_large: { code: "stock_too_large" },
  stock_not_text: { code: "stock_not_text" },
  stock_twice: { code: "stock_twice" },
  stock_unread: { code: "stock_unread" },
  discord_down: { code: "discord_down" },
  channel_gone: { code: "channel_gone" },
  alerts_off: { code: "alerts_off" },
  public_not_theirs: { code: "public_not_theirs" },
  customers_not_theirs: { code: "customers_not_theirs" },
  role_not_theirs: { code: "role_not_theirs" },
  channel_not_theirs: { code: "channel_not_theirs" },
  foreign_channel: { code: "foreign_channel" },
  foreign_role: { code: "foreign_role" },
  discord_silent: { code: "discord_silent" },
  already_done: { code: "already_done" },
  cancelled: { code: "cancelled" },
  internal: { code: "internal" },
};

describe.each(locales)("problems in %s", (locale) => {
  it("each have a sentence of their own", () => {
    const sentences = Object.values(each).map((problem) => problemText(problem, locale));
    expect(new Set(sentences).size).toBe(sentences.length);
    for (const sentence of sentences) expect(sentence).toMatch(/^\p{Lu}.{30,}[.?!]$/su);
  });
});

describe("a problem", () => {
  it("of the store can be shown as it was thrown", () => {
    const refused = new StoreError("invalid", "create product", { detail: "price is required" });
    expect(problemText(refused, "en")).toContain("It says: “price is required”");
  });

  it("says what to do next", () => {
    expect(problemText({ code: "unauthorized" }, "en")).toMatch(/`\/store connect`.*Settings, then Open API/);
    expect(problemText({ code: "rate_limited", retryAfterMs: 1_500 }, "en")).toContain("in 2 seconds");
    expect(problemText({ code: "cooldown", seconds: 1 }, "pt-BR")).toContain("em 1 segundo.");
    expect(problemText({ code: "cooldown", seconds: Number.NaN }, "es")).toContain("en 1 segundo.");
    expect(problemText({ code: "forbidden", permissions: ["Send Messages"] }, "en")).toContain("**Send Messages**");
  });

  it("repeats the API's own words harmlessly", () => {
    expect(problemText({ code: "invalid", detail: "price **must** be > 0 @everyone" }, "en")).toContain(
      "“price \\*\\*must\\*\\* be > 0 \\@everyone”",
    );
  });

  it("of a member without access is one sentence without a reference (0.1.0: two, and \u201cnothing was done\u201d)", () => {
    for (const locale of locales) {
      const text = textOf(problemNotice({ code: "not_allowed" }, locale, "a1b2c3"));
      expect(text.match(/[.!?](?=\s|$)/g), text).toHaveLength(1);
      expect(text).not.toContain("a1b2c3");
    }
  });

  it("shows the reference that is in the log", () => {
    const shown = problemNotice({ code: "internal" }, "en", "a1b2c3");
    expect(textOf(shown)).toMatch(/\n-# Reference: `a1b2c3`$/);
    expect(nodes(shown)[0]?.accent_color).toBe(0xda373c);
    expect(shown.flags & 64).toBe(0);
  });
});
