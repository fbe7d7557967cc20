import { type APIAttachment, ApplicationCommandOptionType } from "@discordjs/core";
import { ProblemError } from "../../views/parts/problem.ts";

/** The value that Discord sends for an option of each kind. */
interface OptionKinds {
  string: string;
  integer: number;
  boolean: boolean;
  /** A channel's id. */
  channel: string;
  /** A role's id. */
  role: string;
  attachment: APIAttachment;
}

export type OptionKind = keyof OptionKinds;

/** The value of an option: one of its choices, if it has any. */
type OptionValue<Spec> = Spec extends { readonly choices: readonly (infer C)[] }
  ? C
  : Spec extends { readonly kind: infer Kind extends OptionKind }
    ? OptionKinds[Kind]
    : never;

/** Values, by option name. Required options always have a value. */
export type OptionValues<O> = {
  readonly [Name in keyof O as O[Name] extends { required: true } ? Name : never]: OptionValue<O[Name]>;
} & {
  readonly [Name in keyof O as O[Name] extends { required: true } ? never : Name]?: OptionValue<O[Name]>;
};

/** The parts of an option that decide which values are valid. */
interface Held {
  readonly kind: OptionKind;
  readonly required?: true;
  readonly choices?: readonly string[] | undefined;
}

/** Discord's type of each kind, and the type of its value in JavaScript. */
export const optionKinds = {
  string: [ApplicationCommandOptionType.String, "string"],
  integer: [ApplicationCommandOptionType.Integer, "number"],
  boolean: [ApplicationCommandOptionType.Boolean, "boolean"],
  channel: [ApplicationCommandOptionType.Channel, "string"],
  role: [ApplicationCommandOptionType.Role, "string"],
  attachment: [ApplicationCommandOptionType.Attachment, "object"],
} as const satisfies Record<OptionKind, readonly [ApplicationCommandOptionType, string]>;

/**
 * Converts a value to the option's kind, because old clients may send a number for a text, or a text for a number. A
 * text that is not a number becomes NaN.
 */
function asKind(kind: OptionKind, value: unknown): unknown {
  if (kind === "string" && typeof value === "number") return String(value);
  return optionKinds[kind][1] === "number" && typeof value === "string" ? Number(value) : value;
}

function fits({ kind, choices }: Held, value: unknown): boolean {
  if (value === null || typeof value !== optionKinds[kind][1]) return false;
  return choices === undefined || choices.some((choice) => choice === value);
}

function areValues<O extends Readonly<Record<string, Held>>>(
  options: O,
  values: Readonly<Record<string, unknown>>,
): values is OptionValues<O> {
  return Object.entries(options).every(([name, { required }]) => !required || values[name] !== undefined);
}

/**
 * Reads the option values that Discord sent. Leaves out a value that does not fit, because the person's client may know an
 * older version of the command. If a required value is then missing, throws a `ProblemError` ("unknown_action").
 */
export function valuesOf<O extends Readonly<Record<string, Held>>>(
  options: O,
  sent: Readonly<Record<string, unknown>>,
): OptionValues<O> {
  const values = Object.fromEntries(
    Object.entries(options).flatMap(([name, option]) => {
      const value = asKind(option.kind, sent[name]);
      return Object.hasOwn(sent, name) && fits(option, value) ? [[name, value]] : [];
    }),
  );
  if (!areValues(options, values)) throw new ProblemError({ code: "unknown_action" });
  return values;
}
