/** Discord's limit, in characters. */
const customIdMax = 100;

/** Undefined if the custom id is too long, or if a part contains half of a surrogate pair, which cannot be encoded. */
function customIdOf(...parts: readonly string[]): string | undefined {
  if (!parts.every((part) => part.isWellFormed())) return undefined;
  const id = parts.map(encodeURIComponent).join(":");
  return id.length <= customIdMax ? id : undefined;
}

/** Undefined for a string of another form. */
export function parseCustomId(id: string) {
  const [command, action, ...args] = id.split(":");
  if (!command || !action) return undefined;
  try {
    return {
      command: decodeURIComponent(command),
      action: decodeURIComponent(action),
      args: args.map(decodeURIComponent),
    };
  } catch {
    return undefined;
  }
}

/** Must never fail, because any person may send any text as a custom id. */
type Argument<Value> = (text: string | undefined) => Value;
type Arguments = Readonly<Record<string, Argument<unknown>>>;
type ValuesOf<A extends Arguments> = { readonly [Name in keyof A]: ReturnType<A[Name]> };

const text: Argument<string> = (value = "") => value;
/** Use it only as the last argument, because arguments are told apart by position. */
const optionalText: Argument<string | undefined> = (value) => value;
const page: Argument<number> = pageIn;

/** Returns 1 if `typed` is not a whole number, or is less than 1. */
export function pageIn(typed: string | number | undefined): number {
  const number = Number(typed);
  return Number.isSafeInteger(number) && number > 0 ? number : 1;
}

export interface CustomId<Values> {
  /** Throws a `RangeError` if the custom id has over 100 characters or cannot be encoded. */
  make(values: Values): string;
  makeIfFits(values: Values): string | undefined;
  read(args: readonly string[]): Values;
}

type CustomIdsOf<Commands> = {
  readonly [Name in keyof Commands]: {
    readonly [Kind in keyof Commands[Name]]: {
      readonly [Action in keyof Commands[Name][Kind]]: Commands[Name][Kind][Action] extends infer A extends Arguments
        ? CustomId<ValuesOf<A>>
        : never;
    };
  };
};

function idOf(command: string, action: string, args: Arguments): CustomId<Readonly<Record<string, unknown>>> {
  const makeIfFits = (values: Readonly<Record<string, unknown>>) => {
    const written = Object.keys(args).flatMap((name) => (values[name] === undefined ? [] : String(values[name])));
    return customIdOf(command, action, ...written);
  };
  return {
    make(values) {
      const id = makeIfFits(values);
      if (id === undefined) throw new RangeError(`custom id of ${command}:${action} is over ${customIdMax} characters`);
      return id;
    },
    makeIfFits,
    read: (given) => Object.fromEntries(Object.entries(args).map(([name, read], at) => [name, read(given[at])])),
  };
}

const mapped = <From, To>(from: Readonly<Record<string, From>>, make: (value: From, name: string) => To) =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, make(value, name)]));

function idsOf<
  Commands extends Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Arguments>>>>>>,
>(commands: Commands): CustomIdsOf<Commands> {
  const ids = mapped(commands, (kinds, command) =>
    mapped(kinds, (actions) => mapped(actions, (args, action) => idOf(command, action, args))),
  );
  return ids as CustomIdsOf<Commands>;
}

const turn = { page: { session: text, page }, jump: { session: text, lastPage: page } };
const paged = { menus: { open: { session: text, page } }, windows: { jump: turn.jump } };
const list = { buttons: { ...turn, clear: { session: text } }, ...paged };
const draft = { draft: text };
const session = { session: text };

/** Messages with these custom ids stay in channels for years. So remove none of them, and add arguments only at the end. */
export const customIds = idsOf({
  store: {
    buttons: {
      details: {},
      change: session,
      sample: { session: text, confirmedChannel: optionalText },
      disconnect: { asker: text, asked: text },
      keep: { asker: text },
      log: { page },
      again: {},
    },
    menus: { channel: session, role: session, rings: session, language: session, currency: session, timezone: session },
    windows: { token: {} },
  },
  alerts: {
    buttons: { set: session, keep: session, again: session, test: {}, look: {}, "no-role": {} },
  },
  orders: list,
  order: {
    // `alert`: the message id of the alert from which a card was opened. `of`: "reminder" or "refund" if the button or menu is
    // in a reply of this kind. `session` and `page`: the page of a list from which a card was opened. `list`: the name of this
    // list, or undefined for the list of `/orders`.
    buttons: {
      open: { id: text, of: optionalText },
      take: { id: text },
      done: { id: text },
      back: { id: text },
      "card-take": { id: text, alert: optionalText },
      "card-done": { id: text, alert: optionalText },
      "card-back": { id: text, alert: optionalText },
      "list-take": { id: text, session: text, page, list: optionalText },
      "list-done": { id: text, session: text, page, list: optionalText },
      "list-back": { id: text, session: text, page, list: optionalText },
    },
    menus: { pick: { of: optionalText } },
  },
  products: list,
  export: { buttons: { cancel: session } },
  // The button on a card has the order's id in its custom id, so that no custom id contains the customer's address.
  customer: { buttons: { orders: { id: text }, ...turn }, ...paged },
  // `of` is the name of the digest that has the button. The bot finds the digest in its channel by this name.
  stats: {
    buttons: { today: { of: text }, cancel: session, details: { from: text, to: text, zone: text } },
  },
  "add-product": {
    buttons: {
      create: draft,
      again: { draft: text, follows: text },
      edit: draft,
      basics: draft,
      media: draft,
      options: draft,
      messages: draft,
      preview: draft,
      cancel: draft,
      discard: draft,
      open: { draft: text, productId: text },
      copy: { session: text, page, productId: text },
    },
    windows: { submit: draft, edit: draft, basics: draft, media: draft, options: draft, messages: draft },
  },
  "import-products": {
    buttons: { create: session, discard: session, cancel: { session: text, run: text } },
  },
});

export type ListIds = (typeof customIds)["orders" | "products" | "customer"];
