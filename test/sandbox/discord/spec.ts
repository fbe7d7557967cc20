import * as specification from "discord-api-spec/zod";
import type { Problem } from "./errors.ts";

const schemas = { ...specification };

/** The schemas of Discord's own specification that requests are checked against. */
export type SchemaName = keyof typeof schemas;

interface Issue {
  readonly code?: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly errors?: readonly (readonly Issue[])[];
  readonly values?: readonly unknown[];
}

function within(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : inner,
    value,
  );
}

function problemsOf(issues: readonly Issue[], input: unknown, at: readonly PropertyKey[]): Problem[] {
  return issues.flatMap((issue): Problem[] => {
    const path = [...at, ...issue.path].map((key) => (typeof key === "number" ? key : String(key)));
    if (issue.code === "invalid_union" && issue.errors !== undefined && issue.errors.length > 0) {
      const here = within(input, issue.path);
      const wrongType = (branch: readonly Issue[]) =>
        branch.some(({ path: [key] }) => key === undefined || key === "type");
      // The branches of a union differ by `type`. Only the branch with the component's own `type` says something useful.
      const meant = issue.errors.filter((branch) => !wrongType(branch)).sort((a, b) => a.length - b.length)[0];
      if (meant !== undefined) return problemsOf(meant, here, path);
      const types = issue.errors.flatMap((branch) => branch.flatMap(({ values }) => values ?? []));
      const message = types.length > 0 ? `Value of field "type" must be one of (${types.join(", ")}).` : issue.message;
      return [{ path, code: "UNION_TYPE_CHOICES", message }];
    }
    const missing = issue.code === "invalid_type" && within(input, issue.path) === undefined;
    return missing
      ? [{ path, code: "BASE_TYPE_REQUIRED", message: "This field is required" }]
      : [{ path, code: (issue.code ?? "invalid").toUpperCase(), message: issue.message }];
  });
}

function unknownKeysOf(input: unknown, known: unknown, at: string): string[] {
  if (Array.isArray(input) && Array.isArray(known)) {
    return input.flatMap((item, index) => unknownKeysOf(item, known[index], `${at}[${index}]`));
  }
  if (typeof input !== "object" || input === null || typeof known !== "object" || known === null) return [];
  return Object.entries(input).flatMap(([key, value]) => {
    const path = at === "" ? key : `${at}.${key}`;
    if (value === undefined) return [];
    return key in known ? unknownKeysOf(value, (known as Record<string, unknown>)[key], path) : [path];
  });
}

/** Keys that the specification does not know are in `unknownKeys`, and not in `problems`. */
export function checkSpec(name: SchemaName, input: unknown): { problems: Problem[]; unknownKeys: string[] } {
  const result = schemas[name].safeParse(input);
  if (!result.success)
    return { problems: problemsOf(result.error.issues as unknown as Issue[], input, []), unknownKeys: [] };
  return { problems: [], unknownKeys: unknownKeysOf(input, result.data, "") };
}
