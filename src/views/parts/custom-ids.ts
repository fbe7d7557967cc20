import { customId, customIdIfFits } from "./custom-id.ts";

/** One argument in a custom id. Anybody may send any text in its place: `read` makes the best of it. */
interface Argument<Value> {
  write(value: Value): string | undefined;
  read(text: string | undefined): Value;
}
type Arguments = Readonly<Record<string, Argument<unknown>>>;
type ValueOf<A> = A extends Argument<infer Value> ? Value : never;

/** Values by the names of the arguments. */
type ValuesOf<A extends Arguments> = {
  readonly [Name in keyof A as undefined extends ValueOf<A[Name]> ? never : Name]: ValueOf<A[Name]>;
} & {
  readonly [Name in keyof A as undefined extends ValueOf<A[Name]> ? Name : never]?: ValueOf<A[Name]>;
};

const text: Argument<string> = { write: (value) => value, read: (value = "") => value };
/** The last one: what is not there leaves no gap. */
const optionalText: Argument<string | undefined> = { write: (value) => value, read: (value) => value };
/** From 1, which also stands for what is no page. */
const page: Argument<number> = { write: String, read: pageIn };

/** A page in a custom id or an option, where anything may stand: 1 for what is no whole number from 1. */
export function pageIn(typed: string | number | undefined): number {
  const number = Number(typed);
  return Number.isSafeInteger(number) && number > 0 ? number : 1;
}

/** The custom id of one button, menu or window, with its arguments by name. */
export interface CustomId<Values> {
  /** Throws a `RangeError` where it has over 100 characters. */
  make(values: Values): string;
  /** As `make`, or nothing where the values do not fit. */
  makeIfFits(values: Values): string | undefined;
  /** The values out of what stands behind `command:action:`. */
  read(args: readonly string[]): Values;
}

/** Custom ids by action; `Values` has the values of each. */
export type CustomIds<Values> = { readonly [Action in keyof Values]: CustomId<Values[Action]> };

/** All that can be pressed, chosen from or submitted of one command. */
export interface CommandIds<Name extends string, Buttons, Menus, Windows> {
  readonly command: Name;
  readonly buttons: CustomIds<Buttons>;
  readonly menus: CustomIds<Menus>;
  readonly windows: CustomIds<Windows>;
}

type Actions = Readonly<Record<string, Arguments>>;
type ValuesOfEach<A extends Actions> = { readonly [Action in keyof A]: ValuesOf<A[Action]> };

function idsOf<A extends Actions>(command: string, actions: A): CustomIds<ValuesOfEach<A>> {
  const idOf = (action: string, args: Arguments): CustomId<Readonly<Record<string, unknown>>> => {
    const written = (values: Readonly<Record<string, unknown>>) =>
      Object.entries(args).flatMap(([name, argument]) => argument.write(values[name]) ?? []);
    return {
      make: (values) => customId(command, action, ...written(values)),
      makeIfFits: (values) => customIdIfFits(command, action, ...written(values)),
      read: (given) => Object.fromEntries(Object.entries(args).map(([name, { read }], at) => [name, read(given[at])])),
    };
  };
  const ids = Object.fromEntries(Object.entries(actions).map(([action, args]) => [action, idOf(action, args)]));
  return ids as CustomIds<ValuesOfEach<A>>;
}

function idsOfCommand<
  const Name extends string,
  Buttons extends Actions = Record<never, never>,
  Menus extends Actions = Record<never, never>,
  Windows extends Actions = Record<never, never>,
>(
  command: Name,
  actions: { readonly buttons?: Buttons; readonly menus?: Menus; readonly windows?: Windows },
): CommandIds<Name, ValuesOfEach<Buttons>, ValuesOfEach<Menus>, ValuesOfEach<Windows>> {
  const { buttons = {} as Buttons, menus = {} as Menus, windows = {} as Windows } = actions;
  return {
    command,
    buttons: idsOf(command, buttons),
    menus: idsOf(command, menus),
    windows: idsOf(command, windows),
  };
}

const turn = { page: { session: text, page }, jump: { session: text, lastPage: page } };
const paged = { menus: { open: { session: text, page } }, windows: { jump: turn.jump } };
const list = { buttons: { ...turn, clear: { session: text } }, ...paged };
const draft = { draft: text };
const session = { session: text };

/**
 * Every button, menu and window of every command, with its arguments. Views make custom ids of these, and commands answer
 * them: messages stay in channels for years, so what stands here is only ever added to, at the end.
 */
export const customIds = {
  store: idsOfCommand("store", {
    buttons: {
      details: {},
      change: session,
      sample: { session: text, confirmedChannel: optionalText },
      disconnect: { asker: text, asked: text },
      keep: { asker: text },
      log: { page },
    },
    menus: { channel: session, role: session, rings: session, language: session, currency: session, timezone: session },
    windows: { token: {} },
  }),
  alerts: idsOfCommand("alerts", {
    buttons: { set: session, keep: session, again: session, test: {}, look: {}, "no-role": {} },
  }),
  orders: idsOfCommand("orders", list),
  order: idsOfCommand("order", {
    // `alert` is the message from which a card was opened; `of` tells other replies from an alert.
    buttons: {
      open: { id: text, of: optionalText },
      take: { id: text },
      done: { id: text },
      back: { id: text },
      "card-take": { id: text, alert: optionalText },
      "card-done": { id: text, alert: optionalText },
      "card-back": { id: text, alert: optionalText },
    },
    menus: { pick: { of: optionalText } },
  }),
  products: idsOfCommand("products", list),
  export: idsOfCommand("export", { buttons: { cancel: session } }),
  // A press on a card names the order: the customer's address stands in no custom id.
  customer: idsOfCommand("customer", { buttons: { orders: { id: text }, ...turn }, ...paged }),
  // `of` names the digest under which it stands, by which that is found in its channel again.
  stats: idsOfCommand("stats", {
    buttons: { today: { of: text }, cancel: session, details: { from: text, to: text, zone: text } },
  }),
  "add-product": idsOfCommand("add-product", {
    buttons: {
      create: draft,
      again: { draft: text, follows: text },
      edit: draft,
      basics: draft,
      media: draft,
      options: draft,
      messages: draft,
      stock: draft,
      preview: draft,
      cancel: draft,
      discard: draft,
      open: { draft: text, productId: text },
      copy: { session: text, page, productId: text },
    },
    windows: { submit: draft, edit: draft, basics: draft, media: draft, options: draft, messages: draft },
  }),
  "import-products": idsOfCommand("import-products", {
    buttons: { create: session, discard: session, cancel: { session: text, run: text } },
  }),
};

/** The custom ids under a list. */
export type ListIds = (typeof customIds)["orders" | "products" | "customer"];
