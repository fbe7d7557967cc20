import { spawnSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { addressProblem, storeAddress, writeEnvFile } from "../../../src/first-start/first-start.ts";
import { useDirectory } from "../../support/use-directory.ts";

const pathOf = useDirectory();

it(".env never replaces an existing file", async () => {
  await writeFile(pathOf(".env"), "mine\n");
  expect(() => writeEnvFile(pathOf(".env"), { DISCORD_TOKEN: "a.b.c" })).toThrow("EEXIST");
  expect(() => writeEnvFile(pathOf("none", ".env"), { DISCORD_TOKEN: "a.b.c" })).toThrow("ENOENT");
  expect(await readFile(pathOf(".env"), "utf8")).toBe("mine\n");
  expect(await readdir(pathOf())).toEqual([".env"]);
});

it("a full disk leaves no .env, so the next start asks again", async () => {
  const module = new URL("../../../src/first-start/first-start.ts", import.meta.url);
  const script = `
    process.on("SIGXFSZ", () => undefined);
    const { writeEnvFile } = await import("${module}");
    writeEnvFile(${JSON.stringify(pathOf(".env"))}, { DISCORD_TOKEN: "a.b.c" });`;
  // With this limit, each file must stay empty.
  const shell = ["-c", 'ulimit -f 0; exec "$0" --input-type=module -e "$1"', process.execPath, script];
  expect(spawnSync("sh", shell, { encoding: "utf8" }).stderr).toContain("EFBIG");
  expect(await readdir(pathOf())).toEqual([]);
});

it.each([
  ["https://api.example.com", "https://api.example.com"],
  [" api.example.com/ ", "https://api.example.com"],
  ["https://api.example.com/open-api", "https://api.example.com"],
  ["https://api.example.com/shop/open-api/checkout/order?page=2", "https://api.example.com/shop"],
  ["HTTPS://api.example.com//", "HTTPS://api.example.com"],
  ["http://127.0.0.1:4000", "http://127.0.0.1:4000"],
  ["", ""],
])("an address as people copy it, %j, is %j", (typed, address) => {
  expect(storeAddress(typed)).toBe(address);
});

function isUsable(address: string): boolean {
  try {
    return readConfig({ DISCORD_TOKEN: "x", STORE_API_URL: address }).storeApiUrl !== "";
  } catch {
    return false;
  }
}

it.each([
  ["api.example.com", undefined],
  ["api.example.com:8443/shop", undefined],
  ["localhost:4000", undefined],
  ["http://localhost:4000", undefined],
  ["https://store", undefined],
  ["192.0.2.7", undefined],
  ["sk_live_4fK29aQ", "none"],
  [`eyJhbGciOiJIUzI1NiJ9.${"a".repeat(64)}.c2ln`, "none"],
  ["https://", "none"],
  ["my store.example.com", "none"],
  ["https://me:secret@api.example.com", "none"],
  ["api.example.com?shop=1", "none"],
  ["http://api.example.com", "http"],
])("of the address %j the rule that it breaks is known: %j", (typed, problem) => {
  expect(addressProblem(typed, isUsable)).toBe(problem);
});
