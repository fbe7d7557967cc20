import type { APIAttachment, APIModalInteractionResponseCallbackData } from "discord.js";
import type { Texts } from "../../locales/shape.ts";
import { type CustomId, customIds } from "../../views/parts/custom-ids.ts";
import type { MessagePayload } from "../../views/parts/payload.ts";
import type { Caller } from "./caller.ts";
import { type Options, type OptionValues, valuesOf } from "./option-values.ts";
import type { Reply } from "./reply.ts";
import type { Services } from "./services.ts";

export type ModalPayload = APIModalInteractionResponseCallbackData;

export type Press<Args = object> = Caller & {
  readonly args: Args;
  /** The message with the button or the menu. `content` is empty for a Components V2 message. */
  readonly message?: { readonly id: string; readonly content: string };
};
/** `value` is empty if nothing is chosen. */
export type MenuChoice<Args = object> = Press<Args> & { readonly value: string };
/** A submitted window (Discord: modal): texts and uploaded files, by the custom id of the input. */
export type Submission<Args = object> = Press<Args> & {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, readonly APIAttachment[]>>;
};

type Run<Context, Payload> = (context: Context, services: Services, reply: Reply) => Promise<Payload>;

type OwnAnswer<Context> =
  | { readonly answer?: "ephemeral"; readonly run: Run<Context, MessagePayload> }
  | { readonly answer: "modal"; run(context: Context, services: Services): Promise<ModalPayload> };

/**
 * What a button, menu or window does. Discord has to know the kind of answer before the action runs:
 *
 * - A function changes the pressed message in place. It returns undefined if the message needs no change.
 * - `ephemeral`: a reply that only the caller sees.
 * - `modal`: a window opens. The window must be the first answer, within 3 s. So `run` must be quick.
 *
 * An action that opens no window can show progress and send files with `reply`, its third argument.
 */
export type Action<Context> = Run<Context, MessagePayload | undefined> | OwnAnswer<Context>;

export type Job =
  | {
      readonly answer: "ephemeral" | "update";
      run(services: Services, reply: Reply): Promise<MessagePayload | undefined>;
    }
  | { readonly answer: "modal"; run(services: Services): Promise<ModalPayload> };

/** A subcommand, or a command without subcommands. */
export interface Executable {
  readonly options: Options;
  /** Throws a `ProblemError` if a required value is missing or does not fit. */
  job(caller: Caller, values: Readonly<Record<string, unknown>>): Job;
}

interface Subcommands {
  readonly subcommands?: Readonly<Record<string, Executable>>;
}

/** Has either `execute`, or subcommands and groups of subcommands. */
interface Entry extends Subcommands {
  /** If true, the staff role does not allow the command. Only Manage Server and the server's integration settings do. */
  readonly managersOnly?: true;
  readonly execute?: Executable;
  readonly groups?: Readonly<Record<string, Subcommands>>;
}

type JobsOf<Sent> = Readonly<Record<string, (sent: Sent) => Job>>;

/** A command as data, for publishing and dispatch. Its texts are in `src/locales/`, under its name. */
export interface Command extends Entry {
  readonly name: string;
  /** Keys are names of actions: the part of a custom id after the command's name. */
  readonly handlers?: {
    readonly buttons: JobsOf<MenuChoice<readonly string[]>>;
    readonly menus: JobsOf<MenuChoice<readonly string[]>>;
    readonly windows: JobsOf<Submission<readonly string[]>>;
  };
}

/** Keys are the texts after the command's name: "" (no text), "set", "route add". */
export function executablesOf({ execute, subcommands = {}, groups = {} }: Command): ReadonlyMap<string, Executable> {
  return new Map([
    ...(execute ? [["", execute] as const] : []),
    ...Object.entries(subcommands),
    ...Object.entries(groups).flatMap(([group, inside]) =>
      Object.entries(inside.subcommands ?? {}).map(([name, executable]) => [`${group} ${name}`, executable] as const),
    ),
  ]);
}

/** For a command without options, `keyof O` is `string`. */
type ShapeOf<O> = string extends keyof O
  ? Record<never, never>
  : { readonly [Name in keyof O]: O[Name] extends { choices: readonly (infer C)[] } ? C : never };
type TextShapeOf<Text> = Text extends { readonly options: infer O }
  ? { readonly [Name in keyof O]: O[Name] extends { readonly choices: infer C } ? keyof C : never }
  : Record<never, never>;

/** `shape` is never set. Its type makes the compiler find options and choices that have no text. */
type Shaped<Shape> = Executable & { readonly shape?: (shape: Shape) => Shape };

type ShapedEntry<Text> = Text extends { readonly subcommands: infer Subcommands }
  ? {
      readonly subcommands: { readonly [Name in keyof Subcommands]: Shaped<TextShapeOf<Subcommands[Name]>> };
    } & (Text extends { readonly groups: infer Groups }
      ? { readonly groups: { readonly [Name in keyof Groups]: ShapedEntry<Groups[Name]> } }
      : unknown)
  : { readonly execute: Shaped<TextShapeOf<Text>> };

interface Contexts<Args> {
  readonly buttons: Press<Args>;
  readonly menus: MenuChoice<Args>;
  readonly windows: Submission<Args>;
}
/** Each action gets the arguments of its custom id by name. */
export type Handlers<Ids> = {
  readonly [Kind in keyof Ids & keyof Contexts<never>]: {
    readonly [Name in keyof Ids[Kind]]: Ids[Kind][Name] extends CustomId<infer Args>
      ? Action<Contexts<Args>[Kind]>
      : never;
  };
};

/** Accepts exactly the options and subcommands that have texts, and exactly the handlers that have custom ids. */
type CommandSpec<Name extends keyof Texts["commands"]> = Pick<Entry, "managersOnly"> &
  ShapedEntry<Texts["commands"][Name]> &
  (Name extends keyof typeof customIds ? { readonly handlers: Handlers<(typeof customIds)[Name]> } : unknown);

function jobOf<Context>(action: Action<Context>, context: Context): Job {
  if (typeof action === "function") {
    return { answer: "update", run: (services, reply) => action(context, services, reply) };
  }
  return action.answer === "modal"
    ? { answer: "modal", run: (services) => action.run(context, services) }
    : { answer: "ephemeral", run: (services, reply) => action.run(context, services, reply) };
}

/** Defines a command without subcommands, or a subcommand. `run` gets the values of its options. */
export function execute<const O extends Options>(
  spec: { readonly options?: O } & OwnAnswer<Caller & { readonly options: OptionValues<O> }>,
): Shaped<ShapeOf<O>> {
  const { options = {} as O } = spec;
  return { options, job: (caller, sent) => jobOf(spec, { ...caller, options: valuesOf<O>(options, sent) }) };
}

type ByKind<Value> = { readonly [Kind in keyof Contexts<never>]?: Readonly<Record<string, Value>> };
const idsOf: Readonly<Record<string, ByKind<CustomId<unknown>>>> = customIds;
type Actions = ByKind<Action<never>>;

export function defineCommand<Name extends keyof Texts["commands"]>(
  name: Name,
  spec: CommandSpec<NoInfer<Name>>,
): Command {
  const { handlers = {}, ...entry }: Entry & { readonly handlers?: Actions } = spec;
  function jobs<Sent extends Press<readonly string[]>>(kind: keyof Actions): JobsOf<Sent> {
    const ids = idsOf[name]?.[kind];
    return Object.fromEntries(
      Object.entries(handlers[kind] ?? {}).map(([action, run]) => [
        action,
        (sent: Sent) => jobOf(run, { ...sent, args: ids?.[action]?.read(sent.args) } as never),
      ]),
    );
  }
  return { ...entry, name, handlers: { buttons: jobs("buttons"), menus: jobs("menus"), windows: jobs("windows") } };
}
