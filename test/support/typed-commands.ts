import type { CommandText } from "../../src/locales/command-text.ts";

/** A command as people type it in one language: "/pedidos", or each of "/avisos definir", "/avisos rota adicionar". */
export function typedAs({ name, subcommands, groups = {} }: CommandText): string[] {
  if (subcommands === undefined) return [`/${name}`];
  return [
    ...Object.values(subcommands).map((sub) => `/${name} ${sub.name}`),
    ...Object.values(groups).flatMap((group) =>
      Object.values(group.subcommands).map((sub) => `/${name} ${group.name} ${sub.name}`),
    ),
  ];
}
