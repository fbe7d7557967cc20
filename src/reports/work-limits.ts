import { type Allowance, createBudget } from "../basics/budget.ts";
import { budgets } from "../basics/budgets.ts";
import { ProblemError } from "../views/parts/problem.ts";

/** How many pieces of long work go on at a time, in this process. In memory: a process that ends has none. */
export interface WorkLimit {
  /** Counts one piece of work until the returned function is called; throws a `ProblemError` where there are too many. */
  acquire(who: { readonly guildId: string; readonly userId: string }): () => void;
}

/** Work that asks the store, at a pace for each server. */
export interface PacedWorkLimit extends WorkLimit {
  /** 0 where the work of this server may ask its store now, else after how many ms to ask again. */
  waitMs(guildId: string): number;
}

/** `ofPerson` counts what one person has under way in all servers, so that being in several gives no larger share of the process. */
interface Bounds {
  readonly ofPerson: number;
  readonly ofServer: number;
  readonly ofProcess: number;
}
type Refusal =
  | "export_running"
  | "exports_full"
  | "import_running"
  | "imports_full"
  | "import_readings_full"
  | "stats_running";
type Refusals = { readonly [Bound in keyof Bounds]: Refusal };

function createLimit({ ofPerson, ofServer, ofProcess }: Bounds, refusals: Refusals): WorkLimit {
  const underWay = new Set<{ readonly guildId: string; readonly userId: string }>();
  const countOf = (is: (other: { readonly guildId: string; readonly userId: string }) => boolean) =>
    [...underWay].filter(is).length;

  return {
    acquire({ guildId, userId }) {
      if (countOf((other) => other.guildId === guildId) >= ofServer)
        throw new ProblemError({ code: refusals.ofServer });
      if (countOf((other) => other.userId === userId) >= ofPerson) throw new ProblemError({ code: refusals.ofPerson });
      if (underWay.size >= ofProcess) throw new ProblemError({ code: refusals.ofProcess });
      const task = { guildId, userId };
      underWay.add(task);
      return () => void underWay.delete(task);
    },
  };
}

function createPacedLimit(
  bounds: Bounds & { readonly requests: Allowance },
  refusals: Refusals,
  monotonic?: () => number,
): PacedWorkLimit {
  const pace = createBudget(bounds.requests, monotonic);
  return { ...createLimit(bounds, refusals), waitMs: (guildId) => pace.spend(guildId) };
}

const ofExports = { ofPerson: "export_running", ofServer: "exports_full", ofProcess: "exports_full" } as const;
const ofStats = { ofPerson: "stats_running", ofServer: "stats_running", ofProcess: "stats_running" } as const;
const ofImports = { ofPerson: "imports_full", ofServer: "import_running", ofProcess: "imports_full" } as const;
const ofReadings = {
  ofPerson: "import_readings_full",
  ofServer: "import_readings_full",
  ofProcess: "import_readings_full",
} as const;

/** @param monotonic a clock that nobody sets, in ms */
export const createExportLimit = (monotonic?: () => number): PacedWorkLimit =>
  createPacedLimit(budgets.exports, ofExports, monotonic);

/** Figures hold no file: more of them are made at a time. They ask at the pace of exports. */
export const createStatsLimit = (): WorkLimit => createLimit(budgets.stats, ofStats);

/** What other processes import is known by the records of imports. */
export const createImportLimit = (monotonic?: () => number): PacedWorkLimit =>
  createPacedLimit(budgets.imports, ofImports, monotonic);

/** For files that are read, whether they are imported or not. */
export const createReadingLimit = (): WorkLimit => createLimit(budgets.importReadings, ofReadings);
