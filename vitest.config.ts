import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Vitest begins with the largest files. These are small and take half a minute or more: begun last, one would run on alone. */
const longest =
  /\/(?:alerts-stores|clock|demo-guide|doctor|kill|rest-proxy|shards|simulation|startup|upgrade|workers-\w+)\.test\.ts$/;
/** `npm run test:long`: the whole length of what is drawn, killed or suspended at random, and `test/long`. */
const folders = process.env.LONG === "1" ? "contract,e2e,long" : "contract,e2e";

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => (longest.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

const common = { testTimeout: 60_000, hookTimeout: 60_000 };

// Unit tests compute. The others wait for processes and servers most of the time: of two cores, four at a time take as much
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
          // The product keeps nothing global, and so one load of it serves many files: half of the time goes into loading.
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
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
