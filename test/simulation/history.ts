import type { kinds } from "./kinds.ts";
import type { Setup } from "./setup.ts";
import { clockOf } from "./world/record.ts";

type Kinds = typeof kinds;

/** An event of a history. If an event is left out, the others stay as they are. */
export type Happening = {
  [Kind in keyof Kinds]: { readonly at: number; readonly kind: Kind } & Parameters<Kinds[Kind]["begin"]>[1];
}[keyof Kinds];

/** A history. Everything that is drawn at random while it runs comes from streams of its seed. */
export interface History {
  readonly seed: number;
  readonly setup: Setup;
  readonly happenings: readonly Happening[];
}

const inWords = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inWords).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, inner]) => `${key}: ${inWords(inner)}`)
      .join(", ")}}`;
  return String(value);
};

/** Describes a history in lines for people. */
export function describe({ seed, setup, happenings }: History): string[] {
  const { startsAt, ...rest } = setup;
  return [
    `seed ${seed}, from ${new Date(startsAt).toISOString()}`,
    ...Object.entries(rest).map(([name, value]) => `  ${name}: ${inWords(value)}`),
    ...happenings.map(
      ({ at, kind, id: _, ...more }) =>
        `  ${clockOf(at)} ${kind} ${Object.entries(more)
          .map(([name, value]) => `${name}: ${inWords(value)}`)
          .join(", ")}`,
    ),
  ];
}
