import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Vitest begins with the largest files. These are small and take a minute or more: begun last, one would run on alone. */
const longest =
  /\/(?:alerts-queue|commands-handling|commands-audit-log|digest-rare|doctor|hostile|kill|import-kill|reminders|soak|workers-\w+)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => (longest.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

const common = { testTimeout: 60_000, hookTimeout: 60_000 };

// Unit tests compute. The others wait for processes and servers most of the time: of two cores, three at a time take as much
// as two of the former.
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: "processes",
          include: ["test/{contract,e2e}/**/*.test.ts"],
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
