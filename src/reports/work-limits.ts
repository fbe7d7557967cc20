import { createBudget } from "../basics/limits/budget.ts";
import { budgets } from "../basics/limits/budgets.ts";
import { type PlainCode, ProblemError } from "../views/parts/problem.ts";

interface Worker {
  readonly guildId: string;
  readonly userId: string;
}

/** `ofPerson` counts the tasks of one person in all servers. */
interface Bounds {
  readonly ofPerson: number;
  readonly ofServer: number;
  readonly ofProcess: number;
}

function createLimit(
  { ofPerson, ofServer, ofProcess }: Bounds,
  full: PlainCode,
  own: { readonly [Bound in keyof Bounds]?: PlainCode } = {},
) {
  const underWay = new Set<Worker>();
  const countOf = (is: (other: Worker) => boolean) => [...underWay].filter(is).length;

  return {
    /** Counts one task until the returned object is disposed of. Throws a `ProblemError` if too many tasks run. */
    acquire({ guildId, userId }: Worker): Disposable {
      if (countOf((other) => other.guildId === guildId) >= ofServer)
        throw new ProblemError({ code: own.ofServer ?? full });
      if (countOf((other) => other.userId === userId) >= ofPerson)
        throw new ProblemError({ code: own.ofPerson ?? full });
      if (underWay.size >= ofProcess) throw new ProblemError({ code: full });
      const task = { guildId, userId };
      underWay.add(task);
      return { [Symbol.dispose]: () => void underWay.delete(task) };
    },
  };
}

/** Limits of this process. */
export function createWorkLimits() {
  const ofExports = createBudget(budgets.exports.requests);
  const ofImports = createBudget(budgets.imports.requests);
  return {
    exportLimit: {
      ...createLimit(budgets.exports, "exports_full", { ofPerson: "export_running" }),
      waitMs: (guildId: string) => ofExports.spend(guildId),
    },
    statsLimit: createLimit(budgets.stats, "stats_running"),
    /** `ImportRecords` knows the imports of all processes. */
    importLimit: {
      ...createLimit(budgets.imports, "imports_full", { ofServer: "import_running" }),
      waitMs: (guildId: string) => ofImports.spend(guildId),
    },
    /** For previews and imports together. */
    readingLimit: createLimit(budgets.importReadings, "import_readings_full"),
  };
}
