import { createBudget } from "../basics/limits/budget.ts";
import { budgets } from "../basics/limits/budgets.ts";
import { type PlainCode, ProblemError } from "../views/parts/problem.ts";

interface Worker {
  readonly guildId: string;
  readonly userId: string;
}

/** Maximum numbers of pieces of work. `ofPerson` counts the work of one person in all servers. */
interface Bounds {
  readonly ofPerson: number;
  readonly ofServer: number;
  readonly ofProcess: number;
}

/**
 * Limits how many pieces of long work run at a time in this process.
 *
 * @param own the refusal for each bound, if it is not `full`
 */
function createLimit(
  { ofPerson, ofServer, ofProcess }: Bounds,
  full: PlainCode,
  own: { readonly [Bound in keyof Bounds]?: PlainCode } = {},
) {
  const underWay = new Set<Worker>();
  const countOf = (is: (other: Worker) => boolean) => [...underWay].filter(is).length;

  return {
    /** Counts one piece of work until the result is disposed of. Throws a `ProblemError` if there are too many. */
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

/** Makes the limits of one process. */
export function createWorkLimits() {
  const ofExports = createBudget(budgets.exports.requests);
  const ofImports = createBudget(budgets.imports.requests);
  return {
    exportLimit: {
      ...createLimit(budgets.exports, "exports_full", { ofPerson: "export_running" }),
      waitMs: (guildId: string) => ofExports.spend(guildId),
    },
    statsLimit: createLimit(budgets.stats, "stats_running"),
    /** Counts imports of this process only. `ImportRecords` knows the imports of all processes. */
    importLimit: {
      ...createLimit(budgets.imports, "imports_full", { ofServer: "import_running" }),
      waitMs: (guildId: string) => ofImports.spend(guildId),
    },
    /** Number of files that are read at a time, for a preview or for an import. */
    readingLimit: createLimit(budgets.importReadings, "import_readings_full"),
  };
}
