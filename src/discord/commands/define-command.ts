import type { APIAttachment, APIModalInteractionResponseCallbackData, ChannelType } from "discord.js";
import type { Choice } from "../../basics/choices.ts";
import type { Texts } from "../../locales/shape.ts";
import type { CommandIds, CustomIds, customIds } from "../../views/parts/custom-ids.ts";
import type { MessagePayload } from "../../views/parts/payload.ts";
import type { Caller } from "./caller.ts";
import { type OptionKind, type OptionValues, valuesOf } from "./option-values.ts";
import type { Reply } from "./reply.ts";

/**
 * Makes the suggestions of an option (Discord: autocomplete): at most 25 choices for the text typed so far. If the function
 * fails, the person sees an empty list.
 */
export type Suggest<Services> = (typed: string, caller: Caller, services: Services) => Promise<readonly Choice[]>;

/** One option of a command. Its name, its description and the names of its choices are in `src/locales/`. */
export interface OptionSpec<Services> {
  readonly kind: OptionKind;
  readonly required?: true;
  /** Limits of an "integer", or of the number of characters of a "string". */
  readonly min?: number;
  readonly max?: number;
  /** The only values that a "string" may have; undefined for free text. */
  readonly choices?: readonly string[];
  /** Kinds of channels that a "channel" may be. */
  readonly channelTypes?: readonly ChannelType[];
  /** Makes suggestions; only for a "string" without choices. */
  readonly suggest?: Suggest<Services>;
}
export type Options<Services> = Readonly<Record<string, OptionSpec<Services>>>;

export type ModalPayload = APIModalInteractionResponseCallbackData;

/** A pressed button. */
export type Press<Args = object> = Caller & {
  readonly args: Args;
  /** The pressed message. `content` is empty for a Components V2 message. */
  readonly message?: { readonly id: string; readonly content: string; readonly isReply: boolean };
};
/** A choice from a menu. `value` is the first of the values, or undefined if none is chosen. */
export type MenuChoice<Args = object> = Press<Args> & {
  readonly values: readonly string[];
  readonly value: string | undefined;
};
/** A submitted window (Discord: modal): texts and uploaded files, by the custom id of the input. */
export type Submission<Args = object> = Press<Args> & {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, readonly APIAttachment[]>>;
};

type Run<Context, Services, Payload> = (context: Context, services: Services, reply: Reply) => Promise<Payload>;
type OpensWindow<Context, Services> = { readonly answer: "modal" } & {
  run(context: Context, services: Services): Promise<ModalPayload>;
};

/**
 * What a button, menu or window does. Discord has to know the kind of answer before the action runs:
 *
 * - A function changes the pressed message in place. It returns undefined if the message needs no change.
 * - `ephemeral`: a reply that only the caller sees.
 * - `modal`: a window opens. It has to be the first answer, within 3 s, so `run` must be quick.
 *
 * With `reply`, the third argument, an action shows progress and sends files.
 */
export type Action<Context, Services> =
  | Run<Context, Services, MessagePayload | undefined>
  | { readonly answer: "ephemeral"; readonly run: Run<Context, Services, MessagePayload> }
  | OpensWindow<Context, Services>;

/** What a command does. Its answer is a message that only the caller sees, or a window. */
type Execution<Context, Services> =
  | { readonly answer?: never; readonly run: Run<Context, Services, MessagePayload> }
  | OpensWindow<Context, Services>;

/** An action together with its arguments. */
export type Job<Services> =
  | {
      readonly answer: "ephemeral" | "update";
      run(services: Services, reply: Reply): Promise<MessagePayload | undefined>;
    }
  | { readonly answer: "modal"; run(services: Services): Promise<ModalPayload> };

/** A subcommand, or a command without subcommands. */
export interface Executable<Services> {
  readonly options: Options<Services>;
  /** Makes a job from the values that Discord sent. Throws a `ProblemError` if a required value is missing. */
  job(caller: Caller, values: Readonly<Record<string, unknown>>): Job<Services>;
}

/** Handlers, by the name of the action: the part of a custom id after the command's name. */
export interface Handlers<Services> {
  readonly components: Readonly<Record<string, (choice: MenuChoice<readonly string[]>) => Job<Services>>>;
  readonly windows: Readonly<Record<string, (submission: Submission<readonly string[]>) => Job<Services>>>;
}

type Subcommands<Services> = Readonly<Record<string, Executable<Services>>>;

/** A command runs either itself (`execute`) or by its subcommands, of which some may be in groups. */
type Entry<Services> =
  | { readonly execute: Executable<Services>; readonly subcommands?: never; readonly groups?: never }
  | {
      readonly subcommands: Subcommands<Services>;
      readonly groups?: Readonly<Record<string, Subcommands<Services>>>;
      readonly execute?: never;
    };

interface CommandBase<Services> {
  /**
   * True if the staff role may not use the command. Then a member needs Manage Server, or an entry in the server's
   * integration settings.
   */
  readonly managersOnly?: true;
  readonly handlers?: Handlers<Services>;
}

/** A command as data, for publishing and dispatch. Its texts are in `src/locales/`, under its name. */
export type Command<Services> = CommandBase<Services> & Entry<Services> & { readonly name: string };

/** Returns the executables of a command, by the text after the command's name: "" (no text), "set", "route add". */
export function executablesOf<Services>({
  execute,
  subcommands = {},
  groups = {},
}: Command<Services>): ReadonlyMap<string, Executable<Services>> {
  return new Map([
    ...(execute ? [["", execute] as const] : []),
    ...Object.entries(subcommands),
    ...Object.entries(groups).flatMap(([group, inside]) =>
      Object.entries(inside).map(([name, executable]) => [`${group} ${name}`, executable] as const),
    ),
  ]);
}

/** A type with the names of the options, each with its choices. Without options, the type has no names. */
type ShapeOf<O> = string extends keyof O
  ? Record<never, never>
  : { readonly [Name in keyof O]: O[Name] extends { choices: readonly (infer C)[] } ? C : never };
type TextShapeOf<Text> = Text extends { readonly options: infer O }
  ? { readonly [Name in keyof O]: O[Name] extends { readonly choices: infer C } ? keyof C : never }
  : Record<never, never>;

/** An executable whose type names its options and choices, so that the compiler finds an option that has no text. */
type Shaped<Services, Shape> = Executable<Services> & { readonly shape?: (shape: Shape) => Shape };
/** Handlers whose type carries the name of their command. */
type HandlersOf<Services, Name> = Handlers<Services> & { readonly of?: (name: Name) => Name };

type ShapedEach<Services, Texts> = { readonly [Name in keyof Texts]: Shaped<Services, TextShapeOf<Texts[Name]>> };
type Executables<Services, Text> = Text extends { readonly subcommands: infer Subcommands }
  ? {
      readonly subcommands: ShapedEach<Services, Subcommands>;
      readonly execute?: never;
    } & (Text extends { readonly groups: infer Groups }
      ? {
          readonly groups: {
            readonly [Name in keyof Groups]: Groups[Name] extends { readonly subcommands: infer Inside }
              ? ShapedEach<Services, Inside>
              : never;
          };
        }
      : { readonly groups?: never })
  : { readonly execute: Shaped<Services, TextShapeOf<Text>>; readonly subcommands?: never; readonly groups?: never };

/**
 * The argument of `defineCommand`. The type accepts exactly the options and subcommands that have texts, and exactly
 * the handlers that have custom ids.
 */
type CommandSpec<Services, Name extends keyof Texts["commands"]> = CommandBase<Services> &
  Entry<Services> &
  Executables<Services, Texts["commands"][Name]> &
  (Name extends keyof typeof customIds
    ? { readonly handlers: HandlersOf<Services, Name> }
    : { readonly handlers?: never });

/** Each action gets the arguments of its custom id by name. */
interface HandlerSpecs<Services, Buttons, Menus, Windows> {
  readonly buttons: { readonly [Name in keyof Buttons]: Action<Press<Buttons[Name]>, Services> };
  readonly menus: { readonly [Name in keyof Menus]: Action<MenuChoice<Menus[Name]>, Services> };
  readonly windows: { readonly [Name in keyof Windows]: Action<Submission<Windows[Name]>, Services> };
}
/** Leaves out buttons, menus or windows if the command has none. */
type Existing<Kinds> = {
  readonly [Kind in keyof Kinds as keyof Kinds[Kind] extends never ? never : Kind]: Kinds[Kind];
};

function jobOf<Context, Services>(action: Action<Context, Services>, context: Context): Job<Services> {
  if (typeof action === "function") {
    return { answer: "update", run: (services, reply) => action(context, services, reply) };
  }
  return action.answer === "modal"
    ? { answer: "modal", run: (services) => action.run(context, services) }
    : { answer: "ephemeral", run: (services, reply) => action.run(context, services, reply) };
}

function reading<Values, Sent extends Press<readonly string[]>, Services>(
  ids: CustomIds<Values>,
  actions: { readonly [Name in keyof Values]: Action<Omit<Sent, "args"> & { readonly args: Values[Name] }, Services> },
): Record<string, (sent: Sent) => Job<Services>> {
  const jobs: Record<string, (sent: Sent) => Job<Services>> = {};
  for (const name in ids) {
    jobs[name] = (sent) => jobOf(actions[name], { ...sent, args: ids[name].read(sent.args) });
  }
  return jobs;
}

/** Functions that define commands for these services. */
export function commandsWith<Services>() {
  return {
    /** Defines a command without subcommands, or a subcommand. `run` gets the values of its options. */
    execute<const O extends Options<Services>>(
      spec: { readonly options?: O } & Execution<Caller & { readonly options: OptionValues<O> }, Services>,
    ): Shaped<Services, ShapeOf<O>> {
      const { options = {} as O } = spec;
      const action = spec.answer === "modal" ? spec : ({ answer: "ephemeral", run: spec.run } as const);
      return {
        options,
        job: (caller, sent) => jobOf(action, { ...caller, options: valuesOf<O>(options, sent) }),
      };
    },

    /** Defines the handlers of buttons, menus and windows: exactly those that have custom ids. */
    handle<Name extends string, Buttons, Menus, Windows>(
      ids: CommandIds<Name, Buttons, Menus, Windows>,
      actions: Existing<HandlerSpecs<Services, Buttons, Menus, Windows>>,
    ): HandlersOf<Services, Name> {
      const { buttons, menus, windows } = actions as HandlerSpecs<Services, Buttons, Menus, Windows>;
      return {
        components: { ...reading(ids.buttons, buttons), ...reading(ids.menus, menus) },
        windows: reading(ids.windows, windows),
      };
    },

    defineCommand<Name extends keyof Texts["commands"]>(
      name: Name,
      spec: CommandSpec<Services, NoInfer<Name>>,
    ): Command<Services> {
      const entry: CommandBase<Services> & Entry<Services> = spec;
      return { name, ...entry };
    },
  };
}
