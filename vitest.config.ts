import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Vitest starts with the largest files. These small files take long, so they start first, and none runs alone at the end. */
const longest =
  /\/(?:alerts|backup|clock|commands-leaving|commit|demo-page|digest|doctor|first-start|kill|left-behind|process-life|proxy|rest-proxy|secret-keys|shards|simulation|startup|upgrade|workers-\w+)\.test\.ts$/;
/** `npm run test:long` sets LONG: `test/long` runs too, and tests with random kills and draws run in full length. */
const folders = process.env.LONG === "1" ? "contract,e2e,long" : "contract,e2e";

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => (longest.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

// Each wait of a test has a minute, also on a slow machine, and fails with a sentence. The time limit only ends a hanging test.
const common = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } };

// Unit tests compute, so two at a time keep two cores busy. The others wait for processes and servers most of the time, so four
// run at a time. With six, a slow machine had a load of 17, and tests with time limits failed.
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          // Files share the loaded modules, which the product allows: it keeps nothing global. Loading is half of the time.
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: "processes",
          include: [`test/{${folders}}/**/*.test.ts`],
          isolate: false,
          // The operator's programs and others that tests start load in half the time with it.
          env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/tests") },
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
