import type { APIAttachment, APIModalInteractionResponseCallbackData, ChannelType } from "discord.js";
import type { Choice } from "../basics/choices.ts";
import type { Locale } from "../basics/locale.ts";
import type { MessagePayload } from "../views/payload.ts";

/** What one option of a kind holds once Discord has sent it. */
export interface OptionKinds {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
  /** Id of the channel. */
  channel: string;
  /** Id of the role. */
  role: string;
  attachment: APIAttachment;
}

/** Who acts, where, and in which language they read. */
export interface Caller {
  readonly guildId: string;
  readonly channelId: string;
  /** Where that is a thread: the channel that it belongs to, whose settings it has. */
  readonly parentId?: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** The member's permissions in this channel, as Discord computed them. */
  readonly permissions: bigint;
  readonly locale: Locale;
}

/** One option of a command; its name and description stand in the catalogue. */
export type OptionSpec<Services> = {
  readonly [Kind in keyof OptionKinds]: {
    readonly kind: Kind;
    readonly required?: true;
    readonly choices?: readonly string[];
    /** Bounds of a number, or of a string's length. */
    readonly min?: number;
    readonly max?: number;
    readonly channelTypes?: readonly ChannelType[];
    /** Autocomplete: at most 25 choices for what was typed so far; a failure shows an empty list. */
    readonly suggest?: (typed: string, caller: Caller, services: Services) => Promise<readonly Choice[]>;
  };
}[keyof OptionKinds];

export type Options<Services> = Readonly<Record<string, OptionSpec<Services>>>;

/** Values by option name: required ones are always there. */
export type OptionValues<O> = {
  readonly [Name in keyof O as O[Name] extends { required: true } ? Name : never]: O[Name] extends {
    kind: infer K extends keyof OptionKinds;
  }
    ? OptionKinds[K]
    : never;
} & {
  readonly [Name in keyof O as O[Name] extends { required: true } ? never : Name]?: O[Name] extends {
    kind: infer K extends keyof OptionKinds;
  }
    ? OptionKinds[K]
    : never;
};

/** A modal as `views` make it. */
export type ModalPayload = APIModalInteractionResponseCallbackData;

/** A press of a button or a choice in a menu: `args` come from the custom id, `values` from the menu. */
export interface Press extends Caller {
  readonly args: readonly string[];
  readonly values: readonly string[];
}

/** A submitted modal: what was typed or chosen, by the custom id of each input. */
export interface Submission extends Caller {
  readonly args: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, readonly APIAttachment[]>>;
}

/**
 * How an interaction is answered is fixed before it runs, for it is deferred at once:
 * `ephemeral`: a reply that only the caller sees; `update`: the message that was pressed changes in place;
 * `modal`: a modal opens, which has to be the very first answer, so `run` must be quick.
 */
export type Action<Context, Services> =
  | { readonly answer: "ephemeral" | "update"; run(context: Context, services: Services): Promise<MessagePayload> }
  | { readonly answer: "modal"; run(context: Context, services: Services): Promise<ModalPayload> };

/** What a subcommand, or a command without subcommands, takes and does. */
export type Executable<Services, O extends Options<Services> = Options<Services>> = { readonly options: O } & Action<
  Caller & { readonly options: OptionValues<O> },
  Services
>;

/** A command is data: publishing and dispatch read the same list of these. */
export interface Command<Services> {
  /** Its texts stand in the catalogue under this name. */
  readonly name: string;
  /** The server's staff role does not open it: it takes Manage Server, or the server's integration settings. */
  readonly managersOnly?: true;
  /** Either one thing to run … */
  readonly execute?: Executable<Services>;
  /** … or subcommands by name. */
  readonly subcommands?: Readonly<Record<string, Executable<Services>>>;
  /** Handlers of buttons and menus by the action in their custom id. */
  readonly components?: Readonly<Record<string, Action<Press, Services>>>;
  /** Handlers of modals by the action in their custom id. */
  readonly modals?: Readonly<Record<string, Action<Submission, Services>>>;
}

/** Lets the option types of `run` be inferred from `options`. */
export function execute<Services, const O extends Options<Services>>(
  executable: Executable<Services, O>,
): Executable<Services> {
  return executable as unknown as Executable<Services>;
}
