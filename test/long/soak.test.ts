import { expect, it } from "vitest";
import { exactFigures, reportSoak } from "../soak/report.ts";
import { runSoak } from "../soak/run-soak.ts";
import { isMissed, render } from "../support/figure.ts";
import { seed } from "../support/sized.ts";

it(`a minute with 200 servers, orders, commands and every fault loses and doubles nothing, and answers everybody (seed ${seed})`, async () => {
  const result = await runSoak({ runMs: 60_000, pollSeconds: 4, servers: 200, seed });

  expect(exactFigures(result).filter(isMissed), render(reportSoak(result))).toEqual([]);
});
