import { type APIAttachment, ApplicationCommandOptionType, type ChannelType } from "@discordjs/core";
import { z } from "zod";
import type { Choice } from "../../basics/choices.ts";
import { ProblemError } from "../../views/parts/problem.ts";
import type { Caller } from "./caller.ts";
import type { Services } from "./services.ts";

/** The value of a channel or a role is its id. Old clients may send a number for a text, or a text for a number. */
export const optionKinds = {
  string: { type: ApplicationCommandOptionType.String, value: z.string().or(z.number().transform(String)) },
  integer: {
    type: ApplicationCommandOptionType.Integer,
    value: z.number().or(z.string().transform(Number)).pipe(z.int()),
  },
  boolean: { type: ApplicationCommandOptionType.Boolean, value: z.boolean() },
  channel: { type: ApplicationCommandOptionType.Channel, value: z.string() },
  role: { type: ApplicationCommandOptionType.Role, value: z.string() },
  attachment: { type: ApplicationCommandOptionType.Attachment, value: z.custom<APIAttachment>(isObject) },
} as const;

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

type OptionKind = keyof typeof optionKinds;

/** Suggests at most 25 values for the typed text. If this fails or takes over 300 ms, the person sees an empty list. */
type Suggest = (typed: string, caller: Caller, services: Services) => Promise<readonly Choice[]>;

/** The name and description of an option, and the names of its choices, are in `src/locales/`. */
export interface OptionSpec {
  readonly kind: OptionKind;
  readonly required?: true;
  /** The least and greatest value of an "integer", or the least and greatest length of a "string" in characters. */
  readonly min?: number;
  readonly max?: number;
  /** Undefined if any value is accepted. */
  readonly choices?: readonly string[];
  readonly channelTypes?: readonly ChannelType[];
  /** Only for a "string" without choices. */
  readonly suggest?: Suggest;
}
export type Options = Readonly<Record<string, OptionSpec>>;

type OptionValue<Spec> = Spec extends { readonly choices: readonly (infer C)[] }
  ? C
  : Spec extends { readonly kind: infer Kind extends OptionKind }
    ? z.output<(typeof optionKinds)[Kind]["value"]>
    : never;

export type OptionValues<O> = {
  readonly [Name in keyof O as O[Name] extends { required: true } ? Name : never]: OptionValue<O[Name]>;
} & {
  readonly [Name in keyof O as O[Name] extends { required: true } ? never : Name]?: OptionValue<O[Name]>;
};

/**
 * Leaves out a value that is none of the choices, because the person's client may know an older version of the command. Throws
 * a `ProblemError` ("unknown_action") for a value of another type, a number beyond its limits, and a required value that is
 * missing or left out.
 */
export function valuesOf<O extends Options>(options: O, sent: Readonly<Record<string, unknown>>): OptionValues<O> {
  const values: Record<string, unknown> = {};
  for (const [name, { kind, required, choices, min = -Infinity, max = Infinity }] of Object.entries(options)) {
    const { success, data } = optionKinds[kind].value.optional().safeParse(sent[name]);
    const isFit = data !== undefined && (choices === undefined || choices.some((choice) => choice === data));
    const isBeyond = typeof data === "number" && (data < min || data > max);
    if (isBeyond || !success || (required && !isFit)) throw new ProblemError({ code: "unknown_action" });
    if (isFit) values[name] = data;
  }
  return values as OptionValues<O>;
}
