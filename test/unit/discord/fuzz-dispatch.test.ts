import type { API, APIInteraction } from "@discordjs/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commands } from "../../../commands/index.ts";
import { locales } from "../../../src/basics/locale.ts";
import { type Executable, executablesOf } from "../../../src/discord/commands/define-command.ts";
import type { Services } from "../../../src/discord/commands/services.ts";
import { createDispatch } from "../../../src/discord/interactions/dispatch.ts";
import { texts } from "../../../src/locales/texts.ts";
import type { MessagePayload } from "../../../src/views/parts/payload.ts";
import { hostileServices, keptName, manager } from "../../largest/services.ts";
import { checkSpec } from "../../sandbox/discord/spec.ts";
import { expectHarmless, patience, runs, trick, tricks } from "../../support/fuzz.ts";
import { silentLog } from "../../support/recorded-log.ts";
import { anyOrder, anyProduct, expectModalAccepted } from "../../support/views-support.ts";

const uuid = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
/** The bot's own texts that mention @everyone. */
const ourWords = locales.flatMap((locale) => [
  texts(locale).permissions.MentionEveryone,
  texts(locale).setUp.everyoneStays,
]);
/** Mentions that the bot makes itself, from Discord's ids, and these texts. */
const ours = new RegExp(["<(?:#|@&?)[^<>]*>", ...ourWords].join("|"), "g");

interface Outcome {
  readonly answers: string[];
  /** Messages that Discord would refuse, or in which a text acts. */
  readonly refused: unknown[];
  /** Internal errors in the log. */
  readonly faults: unknown[];
}

/** Discord checks and accepts every request. */
function startDispatch(services: Services) {
  const outcome: Outcome = { answers: [], refused: [], faults: [] };
  const takes =
    <Payload>(what: string, check: (payload: Payload) => void = () => undefined) =>
    async (_id: string, _token: string, payload: Payload) => {
      outcome.answers.push(what);
      try {
        check(payload);
      } catch (error) {
        outcome.refused.push(error);
      }
    };
  const harmless = (payload: MessagePayload) => expectHarmless(payload, ours);
  const interactions = {
    defer: takes("defer"),
    deferMessageUpdate: takes("defer"),
    reply: takes("reply", harmless),
    editReply: takes("edit", harmless),
    followUp: takes("follow", harmless),
    createModal: takes("modal", (modal: object) => expectModalAccepted(modal)),
    createAutocompleteResponse: takes("choices", (data) => {
      const body = JSON.parse(JSON.stringify({ type: 8, data })) as object;
      expect(checkSpec("ApplicationCommandAutocompleteCallbackRequestSchema", body).problems).toEqual([]);
    }),
  };
  const dispatch = createDispatch({
    api: { interactions } as unknown as API,
    commands,
    commandIds: () => new Map(),
    access: { assertAllowed: async () => undefined },
    servicesFor: () => services,
    log: { ...silentLog, error: (fields) => void outcome.faults.push(fields) },
    ending: new AbortController().signal,
  });
  return { dispatch, outcome };
}

const anyServices = fc
  .record({
    orders: fc.array(anyOrder, { minLength: 1, maxLength: 3 }),
    products: fc.array(anyProduct, { minLength: 1, maxLength: 3 }),
    text: tricks,
    currency: fc.constantFrom(undefined, "BRL"),
  })
  .map(({ orders, products, text, currency }) =>
    hostileServices({
      orders: orders.map((order) => ({ ...order, id: order.id || "o" })),
      products: products.map((product) => ({ ...product, id: product.id || "p" })),
      draft: {
        type: "DEFAULT",
        categoryId: uuid,
        info: { title: text, description: text, instructions: text },
        pricing: { price: 1 },
        inventory: { type: "TEXT", content: text, fileName: text },
        chat: { autoMessages: [text] },
      },
      query: { statuses: [text], email: text, title: text },
      upload: text,
      currency,
      statuses: [text],
    }),
  );

const executables = commands.flatMap((command) =>
  [...executablesOf(command)].map(([typed, one]) => [command.name, typed, one] as const),
);

/** Puts options into a subcommand and its group. */
const nested = (steps: string, options: object[]): object[] =>
  steps
    .split(" ")
    .filter(Boolean)
    .reduceRight(
      (inner, name, index) => [{ name, type: steps.includes(" ") && index === 0 ? 2 : 1, options: inner }],
      options,
    );

const kinds = { string: 3, integer: 4, boolean: 5, channel: 7, role: 8, attachment: 11 } as const;
function optionValue(kind: keyof typeof kinds): fc.Arbitrary<unknown> {
  if (kind === "string") return fc.oneof(tricks, fc.constantFrom(uuid, "PENDING", "USD", "Sword, x"));
  if (kind === "integer") return fc.oneof(fc.integer(), fc.double());
  return kind === "boolean" ? fc.boolean() : fc.bigInt({ min: 1n, max: 2n ** 63n }).map(String);
}

/** As Discord sends the options. One of them is being typed. */
function optionsOf({ options }: Executable): fc.Arbitrary<object[]> {
  const all = Object.entries(options).map(([name, { kind, required }]) =>
    fc
      .tuple(optionValue(kind), required ? fc.constant(true) : fc.boolean(), fc.boolean())
      .map(([value, isThere, focused]) => (isThere ? [{ name, type: kinds[kind], value, focused }] : [])),
  );
  return all.length === 0 ? fc.constant([]) : fc.tuple(...all).map((found) => found.flat());
}

const typed = fc.constantFrom(...executables).chain(([name, sub, executable]) =>
  fc.tuple(fc.constantFrom(2, 4), optionsOf(executable)).map(([type, options]) => ({
    type,
    data: { id: "1", name, type: 1, options: nested(sub, options) },
  })),
);

const arg = fc.oneof(trick, fc.constantFrom(keptName, uuid, "1", "3", manager.userId));
const place = (kind: "buttons" | "menus" | "windows") =>
  fc
    .tuple(
      fc.oneof(
        fc.constantFrom(
          ...commands.flatMap((one) => Object.keys(one.handlers?.[kind] ?? {}).map((action) => [one.name, action])),
        ),
        fc.tuple(fc.constantFrom("orders", "store", "nothing", "constructor"), trick),
      ),
      fc.array(arg, { maxLength: 4 }),
    )
    .map(([[command = "", action = ""], args]) =>
      [command, action, ...args]
        .map((part) => encodeURIComponent(part.toWellFormed()))
        .join(":")
        .slice(0, 100),
    );

const pressed = place("buttons").map((custom_id) => ({ type: 3, data: { custom_id, component_type: 2 } }));
const chosen = fc
  .tuple(place("menus"), fc.array(arg, { maxLength: 3 }))
  .map(([custom_id, values]) => ({ type: 3, data: { custom_id, component_type: 3, values } }));

const fields = ["page", "token", "description", "instructions", "stock-type", "stock", "messages"];
const submitted = fc
  .tuple(place("windows"), fc.array(fc.tuple(fc.constantFrom(...fields), tricks), { maxLength: 7 }), fc.boolean())
  .map(([custom_id, filled, hasFile]) => ({
    type: 5,
    data: {
      custom_id,
      components: [
        ...filled.map(([id, value]) => ({ type: 18, component: { type: 4, custom_id: id, value } })),
        ...(hasFile ? [{ type: 18, component: { type: 19, custom_id: "stock-file", values: ["7"] } }] : []),
      ],
      resolved: {
        attachments: { 7: { id: "7", filename: "a\u202e.txt", size: 1, url: "https://cdn.discordapp.com/a" } },
      },
    },
  }));

/** As Discord sends it. Each interaction is from another person, so that no budget is spent. */
const sent = fc
  .tuple(
    fc.oneof(typed, pressed, chosen, submitted),
    fc.bigInt({ min: 1n, max: 2n ** 63n }),
    fc.constantFrom("pt-BR", "xx", "es-419"),
  )
  .map(([interaction, user, locale]) => ({
    ...interaction,
    id: "200000000000000001",
    token: "aW50ZXJhY3Rpb24",
    application_id: "200000000000000002",
    guild_id: manager.guildId,
    channel: { id: manager.channelId, type: 0 },
    member: { user: { id: String(user) }, roles: [], permissions: "32" },
    locale,
    version: 1,
  }));

/** One value, at any depth, is changed or missing. */
const spoilt = fc
  .tuple(sent, fc.array(fc.tuple(fc.nat(), fc.anything({ maxDepth: 2 })), { minLength: 1, maxLength: 3 }))
  .map(([interaction, changes]) => {
    const copy = structuredClone(interaction) as object;
    for (const [where, value] of changes) {
      const places = placesIn(copy, 6);
      const [parent, key] = places[where % places.length] ?? [copy, "data"];
      Reflect.set(parent, key, value);
    }
    return copy;
  });

/** Skips ids of channels and roles, which Discord makes. */
function placesIn(value: object, levels: number): [object, string][] {
  const isId = "type" in value && (value.type === kinds.channel || value.type === kinds.role);
  return Object.entries(value)
    .filter(([key]) => !isId || key !== "value")
    .flatMap(([key, inner]): [object, string][] => [
      [value, key],
      ...(typeof inner === "object" && inner !== null && levels > 0 ? placesIn(inner, levels - 1) : []),
    ]);
}

const inherited = { name: "constructor", type: 1, options: [] };
const group = (name: string, options?: object[]) => ({ name, type: 2, ...(options ? { options } : {}) });
const typedIn = (name: string, options: object[]) => ({ type: 2, data: { id: "1", name, type: 1, options } });
const anyServicesOnce = () => fc.sample(anyServices, { numRuns: 1, seed: 1 })[0] as Services;

describe("the dispatcher of interactions", () => {
  it("answers everything that people send in a form that Discord accepts, and mentions nobody", patience, async () => {
    await fc.assert(
      fc.asyncProperty(sent, anyServices, async (interaction, services) => {
        const { dispatch, outcome } = startDispatch(services);
        await dispatch.handle(interaction as unknown as APIInteraction);
        await dispatch.end();
        expect(outcome.refused).toEqual([]);
        expect(outcome.faults).toEqual([]);
        const [first, ...others] = outcome.answers;
        // An import first shows that it began, and then its result.
        if (first === "defer") expect(["edit", "edit,edit", "follow"]).toContain(others.join());
        else expect(others).toEqual([]);
        expect(first).toBeDefined();
      }),
      runs,
    );
  });

  it("answers or ignores interactions that Discord would never send, and does not fail", patience, async () => {
    const anything = fc.oneof(
      { weight: 5, arbitrary: spoilt },
      { weight: 1, arbitrary: fc.object().map((noise) => ({ type: 2, ...noise })) },
      {
        weight: 1,
        arbitrary: fc.dictionary(fc.constantFrom("type", "data", "id", "member", "guild_id"), fc.anything()),
      },
    );
    await fc.assert(
      fc.asyncProperty(anything, anyServices, async (interaction, services) => {
        const { dispatch, outcome } = startDispatch(services);
        await dispatch.handle(interaction as APIInteraction);
        await dispatch.end();
        expect(outcome.refused).toEqual([]);
        expect(outcome.answers.length).toBeLessThanOrEqual(3);
      }),
      runs,
    );
  });

  it.each([
    ["an action that every object has", { type: 3, data: { custom_id: "orders:constructor", component_type: 2 } }],
    ["a subcommand that every object has", typedIn("store", [inherited])],
    ["a group that every object has", typedIn("alerts", [group("constructor", [])])],
    ["a subcommand of a group that every object has", typedIn("alerts", [group("route", [inherited])])],
    ["a group without a subcommand", typedIn("alerts", [group("route")])],
    ["a group within a group", typedIn("alerts", [group("route", [group("route", [inherited])])])],
  ])("tells that %s is unknown (0.1.0: it called it, a fault of its own)", async (_, place) => {
    const { dispatch, outcome } = startDispatch(anyServicesOnce());
    const member = { user: { id: "1" }, roles: [], permissions: "32" };
    await dispatch.handle({ id: "1", token: "t", guild_id: "1", locale: "en-US", member, ...place } as never);
    expect(outcome).toEqual({ answers: ["reply"], refused: [], faults: [] });
  });

  it("logs an interaction without any fields, and goes on (0.1.0: its caller got the error)", async () => {
    const { dispatch, outcome } = startDispatch(anyServicesOnce());
    await dispatch.handle({ type: 2 } as never);
    expect(outcome.answers).toEqual([]);
    expect(outcome.faults).toHaveLength(1);
  });
});
