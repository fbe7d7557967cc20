import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createVault, VaultError } from "../../../src/guilds/vault.ts";

const first = randomBytes(32);
const second = randomBytes(32);

describe("the vault for secrets", () => {
  it("opens what it sealed, for the same owner", () => {
    const vault = createVault([first]);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (secret, owner) => {
        expect(vault.open(vault.seal(secret, owner), owner)).toBe(secret);
      }),
    );
  });

  it("never seals the same twice", () => {
    const vault = createVault([first]);
    const sealed = vault.seal("the secret token", "1");
    expect(sealed).not.toBe(vault.seal("the secret token", "1"));
    expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+$/);
  });

  it("does not open what was sealed for another owner or purpose (0.1.0: there was one purpose)", () => {
    const vault = createVault([first]);
    expect(() => vault.open(vault.seal("secret", "1"), "11")).toThrow(VaultError);
    expect(() => vault.open(vault.seal("secret", "1", "customer"), "1")).toThrow(VaultError);
    expect(() => vault.open(vault.seal("secret", "1"), "1", "customer")).toThrow(VaultError);
    expect(vault.open(vault.seal("secret", "1", "customer"), "1", "customer")).toBe("secret");
  });

  it("does not open what was changed in any place, cut or made up", () => {
    const vault = createVault([first]);
    const sealed = vault.seal("secret", "1");
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = sealed.slice(0, at) + (sealed[at] === "A" ? "B" : "A") + sealed.slice(at + 1);
      expect(() => vault.open(changed, "1"), changed).toThrow(VaultError);
      expect(() => vault.open(sealed.slice(0, at), "1")).toThrow(VaultError);
    }
    for (const made of ["", "v1", "v1..", `${sealed}.`, `${sealed}A`, "secret"])
      expect(() => vault.open(made, "1"), made).toThrow(VaultError);
  });

  it("opens with any of its keys and seals with the first", () => {
    const old = createVault([first]).seal("secret", "1");
    const rotated = createVault([second, first]);
    expect(rotated.open(old, "1")).toBe("secret");
    expect(rotated.isCurrent(old)).toBe(false);

    const renewed = rotated.seal("secret", "1");
    expect(rotated.isCurrent(renewed)).toBe(true);
    expect(createVault([second]).open(renewed, "1")).toBe("secret");
    expect(() => createVault([second]).open(old, "1")).toThrow(VaultError);
  });

  it("is not made without a key or with a short one", () => {
    expect(() => createVault([])).toThrow(RangeError);
    expect(() => createVault([first, randomBytes(16)])).toThrow(RangeError);
  });
});
