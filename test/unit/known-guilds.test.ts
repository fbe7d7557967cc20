import { expect, test } from "vitest";
import { createKnownGuilds } from "../../src/discord/gateway/known-guilds.ts";

const hour = 3_600_000;
const heardAt = Date.UTC(2026, 0, 1);
/** The fields of a server that are used. */
const joined = (id: string, at: number) => ({ id, joined_at: new Date(at).toISOString() });

test("in a new session, a server that was not in its list is new, once", () => {
  const known = createKnownGuilds();
  known.began(0, ["1"]);

  expect(known.join(0, joined("1", heardAt))).toBe(false);
  expect(known.join(0, joined("2", heardAt))).toBe(true);
  expect(known.join(0, joined("2", heardAt))).toBe(false);
  known.leave(0, "2");
  expect(known.join(0, joined("2", heardAt))).toBe(true);
});

test("in a resumed session, a server that returns from an outage is not new, and one that joined since is new", () => {
  const known = createKnownGuilds();
  known.resumed(0, heardAt);

  expect(known.join(0, joined("1", heardAt - 2 * hour))).toBe(false);
  expect(known.join(0, joined("2", heardAt + 1))).toBe(true);
  expect(known.join(0, joined("2", heardAt + 1))).toBe(false);
});

test("if a session could not be resumed, a server that joined since the earlier process is new, once", () => {
  const known = createKnownGuilds();
  known.resumed(0, heardAt);
  known.began(0, ["1", "2"]);

  expect(known.join(0, joined("1", heardAt - 2 * hour))).toBe(false);
  expect(known.join(0, joined("2", heardAt + 1))).toBe(true);
  known.began(0, ["1", "2", "3"]);
  expect(known.join(0, joined("2", heardAt + 1))).toBe(false);
  expect(known.join(0, joined("3", heardAt + 2))).toBe(true);
  expect(known.all(1)).toEqual(new Set(["1", "2", "3"]));
});

test("all servers are known only where each shard began its session here", () => {
  const known = createKnownGuilds();
  known.began(0, ["1"]);
  expect(known.all(2)).toBeUndefined();
  known.resumed(1, heardAt);
  expect(known.all(2)).toBeUndefined();

  known.began(1, ["2"]);

  expect(known.all(2)).toEqual(new Set(["1", "2"]));
});
