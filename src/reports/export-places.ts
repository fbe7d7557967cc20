import { type Allowance, createBudget } from "../basics/budget.ts";
import { budgets } from "../basics/budgets.ts";
import { ProblemError } from "../views/problem.ts";

/** Who has what long work done at the moment, in this process: what a killed one was at is over with it. */
export interface Places {
  /** A place for one piece of work, until the returned function is called; throws a `ProblemError` where there is none. */
  enter(who: { readonly guildId: string; readonly userId: string }): () => void;
  /** 0 where the work of this server may ask its store now, else after how many ms to ask again. */
  lateMs(guildId: string): number;
}

interface Bounds {
  readonly ofPerson: number;
  readonly ofServer: number;
  readonly ofProcess: number;
  readonly requests: Allowance;
}
type Refusal = "export_running" | "exports_full" | "import_running" | "imports_full" | "stats_running";

function createPlaces(
  { ofPerson, ofServer, ofProcess, requests }: Bounds,
  refusals: { readonly ofPerson: Refusal; readonly ofServer: Refusal; readonly ofProcess: Refusal },
  monotonic?: () => number,
): Places {
  const pace = createBudget(requests, monotonic);
  const underWay = new Set<{ readonly guildId: string; readonly userId: string }>();

  return {
    enter({ guildId, userId }) {
      const here = [...underWay].filter((other) => other.guildId === guildId);
      if (here.filter((other) => other.userId === userId).length >= ofPerson) {
        throw new ProblemError({ code: refusals.ofPerson });
      }
      if (here.length >= ofServer) throw new ProblemError({ code: refusals.ofServer });
      if (underWay.size >= ofProcess) throw new ProblemError({ code: refusals.ofProcess });
      const place = { guildId, userId };
      underWay.add(place);
      return () => void underWay.delete(place);
    },
    lateMs: (guildId) => pace.spend(guildId),
  };
}

const ofExports = { ofPerson: "export_running", ofServer: "exports_full", ofProcess: "exports_full" } as const;
const ofStats = { ofPerson: "stats_running", ofServer: "stats_running", ofProcess: "stats_running" } as const;
const ofImports = { ofPerson: "import_running", ofServer: "import_running", ofProcess: "imports_full" } as const;

/** @param monotonic a clock that nobody sets, in ms */
export const createExportPlaces = (monotonic?: () => number): Places =>
  createPlaces(budgets.exports, ofExports, monotonic);

/** Figures hold no file: more of them are made at a time. They ask at the pace of exports. */
export const createStatsPlaces = (monotonic?: () => number): Places => createPlaces(budgets.stats, ofStats, monotonic);

/** What other processes import is known by the records of imports. */
export const createImportPlaces = (monotonic?: () => number): Places =>
  createPlaces(budgets.imports, ofImports, monotonic);
