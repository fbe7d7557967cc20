import { describe, expect, it } from "vitest";
import { alerts } from "../../../commands/alerts/alerts.ts";
import { digest } from "../../../commands/digest.ts";
import { clockIn, suggestZones, zoneMenu, zoneTyped } from "../../../src/basics/zone-choices.ts";
import { zoneName, zoneNames } from "../../../src/basics/zones.ts";
import { codeOf } from "../../support/code-of.ts";
import { channelId, createAlertDesk, fineChannel, staff } from "../../support/engine/alert-desk.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { textOf } from "../../support/views-support.ts";

const locales = ["en", "pt-BR", "es"] as const;
const noon = Date.UTC(2026, 10, 22, 12);

const desk = useFixture(() => createAlertDesk({ now: () => noon, alerts: { setDigest: async () => noon } }));
const set = (options: object = {}) =>
  desk.run(digest, "set", staff, { channel: channelId, every: "day", hour: 9, ...options });

it.each([true, false])(
  "/digest set warns of a channel that everybody can read, and of no other (public: %s)",
  async (isPublic) => {
    desk.look = () => ({ ...fineChannel, isPublic });
    const text = textOf(await set());
    expect(text).toMatch(/^✅/);
    expect(text.includes("how much the store sells")).toBe(isPublic);
  },
);

it("/digest set names the permissions without which digests are incomplete", async () => {
  desk.look = () => ({ ...fineChannel, missing: ["EmbedLinks"] });
  const text = textOf(await set());
  expect(text).toMatch(/^⚠️ Daily digest on in .+ the bot is missing: \*\*Embed Links\*\*/s);
});

it.each([24, -1, 9.5, "noon"])("/digest set takes no digest at the hour %s", async (hour) => {
  expect(await codeOf(Promise.try(() => set({ hour })))).toBe("unknown_action");
});

describe("time zones", () => {
  it.each([
    ["/alerts remind", alerts, "remind"],
    ["/digest set", digest, "set"],
  ] as const)("are suggested by %s with the time that it is there", async (_, command, subcommand) => {
    const option = command.subcommands?.[subcommand]?.options.timezone as unknown as
      | { suggest(typed: string, caller: object, services: object): Promise<{ name: string; value: string }[]> }
      | undefined;
    const found = await option?.suggest("sao paulo", { ...staff, locale: "pt-BR" }, { now: () => noon });
    expect(found).toEqual([{ name: "America/Sao_Paulo (09:00)", value: "America/Sao_Paulo" }]);
  });

  it("are understood as they were suggested, and suggested again", () => {
    for (const locale of locales) {
      for (const zone of zoneNames()) {
        const name = `${zone} (${clockIn(zone, noon, locale)})`;
        expect(name.length).toBeLessThanOrEqual(100);
        expect(zoneTyped(name)).toBe(zone);
      }
    }
    expect(suggestZones("Europe/Lisbon (12:00 PM)", noon, "en").map(({ value }) => value)).toEqual(["Europe/Lisbon"]);
    expect(suggestZones("gmt", noon, "en").map(({ value }) => value)).toEqual(["UTC"]);
    expect(suggestZones("são paulo", noon, "en").map(({ value }) => value)).toEqual(["America/Sao_Paulo"]);
    expect(zoneTyped("Mars/Base (12:00)")).toBeUndefined();
  });

  it.each(locales)("are each once in the menu, with the present one, and fit into a menu (%s)", (locale) => {
    for (const present of ["UTC", "Asia/Tokyo", zoneName("America/Argentina/Buenos_Aires") ?? ""]) {
      const values = zoneMenu(locale, noon, present).map(({ value }) => value);
      expect(values).toContain(present);
      expect(new Set(values.map(zoneName)).size).toBe(values.length);
      expect(values.length).toBeLessThanOrEqual(25);
    }
  });
});
