import { type Filler, fillers } from "./inputs.ts";

/** With the largest input that people or a store may send. */
export interface Work {
  readonly what: string;
  /** The result may be the answer to a person. */
  run(): unknown;
}

/** Each work is made when it is needed, because inputs take megabytes. */
export type MakeWorks = (filled: readonly (readonly [name: string, fill: Filler])[]) => Iterable<Work>;

export function fillersNamed(names: readonly string[]): (readonly [string, Filler])[] {
  return names.map((name) => {
    const fill = fillers.get(name);
    if (fill === undefined) throw new Error(`no filler ${name}`);
    return [name, fill];
  });
}
