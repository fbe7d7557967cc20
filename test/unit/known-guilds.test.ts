import { expect, test } from "vitest";
import { createKnownGuilds } from "../../src/discord/gateway/known-guilds.ts";

const hour = 3_600_000;
const heardAt = Date.UTC(2026, 0, 1);
/** The fields of a server that are used. */
const joined = (id: string, at: number) => ({ id, joined_at: new Date(at).toISOString() });

test("after a new session, a server that was not in it is a new one, once", () => {
  const known = createKnownGuilds();
  known.began(0, ["1"]);

  expect(known.join(0, joined("1", heardAt))).toBe(false);
  expect(known.join(0, joined("2", heardAt))).toBe(true);
  expect(known.join(0, joined("2", heardAt))).toBe(false);
  known.leave(0, "2");
  expect(known.join(0, joined("2", heardAt))).toBe(true);
});

test("after a session went on, the return of an outage is no new server, and one that joined since is", () => {
  const known = createKnownGuilds();
  known.resumed(0, heardAt);

  expect(known.join(0, joined("1", heardAt - 2 * hour))).toBe(false);
  expect(known.join(0, joined("2", heardAt + 1))).toBe(true);
  expect(known.join(0, joined("2", heardAt + 1))).toBe(false);
});

test("after a session could not go on, a server that joined since the earlier process was heard of is a new one, once", () => {
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
