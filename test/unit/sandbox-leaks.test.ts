import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { findLeaks, type Searched, type Secret } from "../support/leaks.ts";
import { keysIn } from "../support/secrets.ts";

const token: Secret = { what: "the token", text: "tok_0123456789abcdef", notIn: ["log", "disk"] };
const log = (text: string | Buffer): Searched => ({ place: "log", where: "start 1", bytes: Buffer.from(text) });

describe("the search for leaks", () => {
  it("says which secret is where, with 40 characters around it, and little of the secret itself", async () => {
    const line = '{"level":30,"msg":"connected with","token":"tok_0123456789abcdef","guild":"1"}';
    expect(await findLeaks([token], [log(line)])).toEqual([
      'the token in log (start 1): cted with","token":"tok…","guild":"1"}',
    ]);
  });

  it.each([
    ["at the beginning", "tok_0123456789abcdef later"],
    ["at the end", "first tok_0123456789abcdef"],
    ["as all there is", "tok_0123456789abcdef"],
    ["in base64", `first ${Buffer.from("tok_0123456789abcdef").toString("base64")}`],
    ["after its own beginning", "tok_tok_0123456789abcdef"],
  ])("finds a secret %s", async (_, text) => {
    expect(await findLeaks([token], [log(text)])).toHaveLength(1);
  });

  it("finds what JSON and addresses write in another way, and letters outside ASCII", async () => {
    const name: Secret = { what: "a name", text: 'Elif "Yılmaz"', notIn: ["log"] };
    const texts = [JSON.stringify({ name: name.text }), `/x?name=${encodeURIComponent('Elif "Yılmaz"')}`];

    for (const text of texts) expect(await findLeaks([name], [log(text)])).toHaveLength(1);
  });

  it("finds keys as base64, hexadecimal and bytes", async () => {
    const key = randomBytes(32);
    const secrets = keysIn(`${key.toString("base64")}, ${randomBytes(32).toString("base64")}`);

    for (const form of [key.toString("base64"), key.toString("hex"), Buffer.concat([Buffer.from("x"), key])]) {
      expect(await findLeaks(secrets, [log(form)])).toHaveLength(1);
    }
  });

  it("is silent where the secret may be, for exceptions, for cut texts, and for what is too short to tell", async () => {
    const line = "tok_0123456789abcdef";
    expect(await findLeaks([token], [{ ...log(line), place: "Discord" }])).toEqual([]);
    expect(await findLeaks([token], [log(line)], [{ what: "the token", place: "log", why: "a test" }])).toEqual([]);
    expect(await findLeaks([token], [log("tok_0123456789abcde")])).toEqual([]);
    expect(await findLeaks([{ ...token, text: "KEY-1" }], [log("KEY-1")])).toEqual([]);
  });

  it("takes one walk for 20,000 secrets", async () => {
    const secrets = Array.from({ length: 20_000 }, (_, index) => ({ ...token, text: `someone${index}@example.com` }));
    const text = Buffer.concat([randomBytes(20_000_000), Buffer.from("someone19999@example.com")]);

    const from = performance.now();

    expect(await findLeaks(secrets, [log(text)])).toHaveLength(1);
    // 20,000 walks over 20 MB would take minutes.
    expect(performance.now() - from).toBeLessThan(5_000);

    console.info(`20 MB for 20,000 secrets: ${Math.round(performance.now() - from)} ms`);
  });
});
