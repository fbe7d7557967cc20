import { expect, it } from "vitest";

const textsOf = (name: string): Promise<Record<string, unknown>> =>
  import(new URL(`../../demo/page/browser/texts-${name}.js`, import.meta.url).href);

/** Also keys of texts below. */
const keysOf = (text: unknown): unknown =>
  typeof text === "object" && text !== null ? Object.entries(text).map(([key, of]) => [key, keysOf(of)]) : typeof text;

it("the demo page has every text in all of its languages", async () => {
  const names = ["en", "pt", "es"];
  const [english, ...others] = await Promise.all(names.map(async (name) => keysOf((await textsOf(name))[name])));
  expect(JSON.stringify(english)).toContain("placeOrder");
  for (const other of others) expect(other).toEqual(english);
});
