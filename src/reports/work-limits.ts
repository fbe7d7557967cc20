import type { Member } from "../basics/discord-id.ts";
import { createBudget } from "../basics/limits/budget.ts";
import { type PlainCode, ProblemError } from "../views/parts/problem.ts";

export const workBudgets = {
  /**
   * Exports that run at a time. Each has a part of its file in memory: up to 4 MiB, and three times as much while it is sent.
   * `requests` limits all exports and `/stats` readings of a server together. While no import runs, other commands have
   * at least a fifth of `budgets.storeRequestsOfPeople`, and half of its burst.
   */
  exports: { ofPerson: 1, ofServer: 2, ofProcess: 4, requests: { burst: 30, perSecond: 4 } },
  /** `/stats` readings that run at a time. Each has a page of orders, the sums of its days, and 40 bytes for each order. */
  stats: { ofPerson: 1, ofServer: 2, ofProcess: 32 },
  /** Imports that run at a time. `requests` (for each server) is less than half of `budgets.storeRequestsOfPeople`. */
  imports: { ofPerson: 1, ofServer: 1, ofProcess: 4, requests: { burst: 4, perSecond: 2 } },
  /** Files that are parsed at a time. Parsing takes about 13 MB of memory for a tenth of a second. */
  importReadings: { ofPerson: 1, ofServer: 1, ofProcess: 2 },
} as const;

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
  const underWay = new Set<Member>();
  const countOf = (is: (other: Member) => boolean) => [...underWay].filter(is).length;

  return {
    /** Counts one task until the returned object is disposed of. Throws a `ProblemError` if too many tasks run. */
    acquire({ guildId, userId }: Member): Disposable {
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
  const ofExports = createBudget(workBudgets.exports.requests);
  const ofImports = createBudget(workBudgets.imports.requests);
  return {
    exportLimit: {
      ...createLimit(workBudgets.exports, "exports_full", { ofPerson: "export_running" }),
      waitMs: (guildId: string) => ofExports.spend(guildId),
    },
    statsLimit: createLimit(workBudgets.stats, "stats_running"),
    /** `ImportRecords` knows the imports of all processes. */
    importLimit: {
      ...createLimit(workBudgets.imports, "imports_full", { ofServer: "import_running" }),
      waitMs: (guildId: string) => ofImports.spend(guildId),
    },
    /** For previews and imports together. */
    readingLimit: createLimit(workBudgets.importReadings, "import_readings_full"),
  };
}
