import { afterEach, beforeEach } from "vitest";

/**
 * Makes a fixture before each test, and closes it after the test. The fixture must not have private members.
 * Returns a proxy of the running test's fixture. Read or destructure it only within a test.
 */
export function useFixture<T extends object>(make: () => T | Promise<T>, close?: (fixture: T) => unknown): T {
  const present: { fixture?: T | undefined } = {};
  const current = (): T => {
    if (present.fixture === undefined) throw new Error("a fixture is there only within a test");
    return present.fixture;
  };
  beforeEach(async () => {
    present.fixture = await make();
  });
  afterEach(async () => {
    const { fixture } = present;
    present.fixture = undefined;
    if (fixture !== undefined) await close?.(fixture);
  });
  return new Proxy({} as T, {
    get: (_, key) => Reflect.get(current(), key),
    set: (_, key, value) => Reflect.set(current(), key, value),
    has: (_, key) => Reflect.has(current(), key),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(current(), key),
    // A spy would outlive the fixture.
    defineProperty: () => false,
  });
}
