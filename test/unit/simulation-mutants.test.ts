import ts from "typescript";
import { expect, test } from "vitest";
import { mutantsOf, mutated } from "../simulation/mutants/mutators.ts";
import { type Result, report, wilson } from "../simulation/mutants/report.ts";
import { alertPathMutants, sample } from "../simulation/mutants/sample.ts";

/** What a source can be given, a line each. */
test.each<[string, readonly string[]]>([
  ["f(a && b);", ["call dropped: f(a && b); > ;", "logic: a && b > (a || b)"]],
  ["x = (a ?? b) || c;", ["logic: (a ?? b) || c > ((a ?? b) && c)", "logic: a ?? b > (a && b)"]],
  ["x = a ?? b ?? c;", ["logic: a ?? b ?? c > ((a ?? b) && c)", "logic: a ?? b > (a && b)"]],
  ["x = a < b;", ["comparison: < > <=", "comparison: < > >="]],
  ["x = a !== b ? 1 : 2;", ["comparison: !== > ==="]],
  ["x = a ? 1 : 2;", ["condition negated: a > !(a)"]],
  ["if (!a) return;", ["not dropped: !a > a", "block emptied: return; > {}"]],
  ["while (a) b = 1;", ["condition negated: a > !(a)", "block emptied: b = 1; > {}"]],
  ["if (a) f();", ["condition negated: a > !(a)", "call dropped: f(); > ;"]],
  ["if (a === b) { f(); }", ["comparison: === > !==", "call dropped: f(); > ;"]],
  ["try { x = 1; } catch { x = 2; }", ["block emptied: { x = 1; } > {}", "block emptied: { x = 2; } > {}"]],
  ["x = a + b; y = 'c' + b; i++;", ["arithmetic: + > -", "arithmetic: i++ > i--"]],
  ["x = true;", ["boolean: true > false"]],
  ["await this.f(); void g();", ["call dropped: await this.f(); > ;", "call dropped: void g(); > ;"]],
  ["const f = () => isDue(a);", ["return dropped: isDue(a) > undefined"]],
  [
    "const f = () => { return a in b; };",
    ["block emptied: { return a in b; } > {}", "return dropped: return a in b; > return;"],
  ],
  ["x = [...a, b]; y = { c, ...d };", ["spread dropped: ...a,  > ", "spread dropped: , ...d > "]],
  ["x = [...a]; f(...b).c = 1;", ["spread dropped: ...a > "]],
  // What is told to somebody, what is a type, and what cannot be left out.
  ["this.deps.log.warn({ x: a && b }, 'text'); metrics.posted(a + 1); const g = () => log.info(a && b);", []],
  ["import x from 'y'; type A = true | false; interface B { c: true } let d: false;", []],
  ["class A extends B { constructor() { super(1); this.a = 1; } }", []],
])("%s", (source, expected) => {
  expect(mutantsOf(source).map(({ mutator, before, after }) => `${mutator}: ${before} > ${after}`)).toEqual(expected);
});

const all = alertPathMutants();

test("every mutant of the alert path is TypeScript that differs from its source", () => {
  const sources = new Map(
    [...all].map(([file, [first]]) => [file, ts.sys.readFile(new URL(first?.url ?? "").pathname) ?? ""]),
  );
  for (const mutant of sample(all, 100, 1)) {
    const source = mutated(sources.get(mutant.file) ?? "", mutant);
    const { diagnostics } = ts.transpileModule(source, {
      reportDiagnostics: true,
      compilerOptions: { target: ts.ScriptTarget.ESNext },
    });
    expect(diagnostics, `${mutant.file}:${mutant.line} ${mutant.mutator}`).toEqual([]);
    expect(source).not.toBe(sources.get(mutant.file));
  }
});

test("a sample follows from its seed, has some of every file, and the more the more there are", () => {
  const drawn = sample(all, 250, 7);
  expect(sample(all, 250, 7)).toEqual(drawn);
  expect(sample(all, 250, 8)).not.toEqual(drawn);
  expect(new Set(drawn).size).toBe(250);
  expect(new Set(drawn.map(({ file }) => file))).toEqual(new Set(all.keys()));
  const letters = new Map([
    ["a", [..."abcdefgh"]],
    ["b", [..."ij"]],
    ["c", ["k"]],
  ]);
  expect(
    sample(letters, 6, 1)
      .toSorted()
      .filter((letter) => letter < "i"),
  ).toHaveLength(4);
  expect(sample(letters, 100, 1).toSorted().join("")).toBe("abcdefghijk");
  expect(sample(letters, 2, 1)).toHaveLength(2);
});

test("the report has the score with its bounds, and who survived", () => {
  // Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263.
  expect(wilson(81, 263).map((bound) => bound.toFixed(4))).toEqual(["0.2553", "0.3662"]);
  const [mutant] = [...all.values()].flat();
  if (mutant === undefined) throw new Error("no mutants");
  const killed: Result = {
    mutant,
    killedBy: { seed: 3, wrong: "never alerted" },
    reaching: 5,
    played: 1,
    differing: 1,
  };
  const lived: Result = { mutant, killedBy: undefined, reaching: 12, played: 9, differing: 0 };
  const text = report([killed, lived, { ...lived, reaching: 0, played: 0 }]);
  expect(text).toContain(`| ${mutant.file} | 3 | 1 | 2 |`);
  expect(text).toContain("SURVIVED, 9 of 12 histories that reach it played, all traces as without it");
  expect(text).toContain("SURVIVED, no history reaches it");
  expect(text).toContain("All: 1 of 3 killed, 33.3 % (95 %: 6.1 to 79.2 %)");
  expect(text).toContain("Those that a history reaches: 1 of 2 killed, 50.0 %");
  expect(text).toContain("Those that change a trace: 1 of 1 killed, 100.0 %");
});
