import { createBudget } from "../basics/budget.ts";
import { budgets } from "../basics/budgets.ts";
import { ProblemError } from "../views/problem.ts";

/** Who exports what at the moment, in this process: what a killed one was at is over with it. */
export interface ExportPlaces {
  /** A place for one export, until the returned function is called; throws a `ProblemError` where there is none. */
  enter(who: { readonly guildId: string; readonly userId: string }): () => void;
  /** 0 where an export of this server may ask its store now, else after how many ms to ask again. */
  lateMs(guildId: string): number;
}

/** @param monotonic a clock that nobody sets, in ms */
export function createExportPlaces(monotonic?: () => number): ExportPlaces {
  const { ofPerson, ofServer, ofProcess, requests } = budgets.exports;
  const pace = createBudget(requests, monotonic);
  const underWay = new Set<{ readonly guildId: string; readonly userId: string }>();

  return {
    enter({ guildId, userId }) {
      const here = [...underWay].filter((other) => other.guildId === guildId);
      if (here.filter((other) => other.userId === userId).length >= ofPerson) {
        throw new ProblemError({ code: "export_running" });
      }
      if (here.length >= ofServer || underWay.size >= ofProcess) throw new ProblemError({ code: "exports_full" });
      const place = { guildId, userId };
      underWay.add(place);
      return () => void underWay.delete(place);
    },
    lateMs: (guildId) => pace.spend(guildId),
  };
}
