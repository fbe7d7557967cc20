import { beforeEach, expect, test } from "vitest";
import { FollowWaits, HiddenHistory } from "../../src/alerts/follow-waits.ts";
import { MessengerError } from "../../src/alerts/messenger.ts";

const channelId = "1";
const firstMs = 2_000;
const lostMs = 16_000;

let waits: FollowWaits;
let now: number;

beforeEach(() => {
  now = 0;
  waits = new FollowWaits({ monotonic: () => now, random: () => 1 });
});

const uncertain = () => waits.failed(channelId, new MessengerError("uncertain"));
const hidden = () => waits.failed(channelId, new HiddenHistory("forbidden"));

/** Whether one may be tried that was never sent, and one that may have been; of this channel and of another one. */
async function free(ofChannel = channelId) {
  const all = ["sent for the first time", "in doubt"].map((name) => ({ name, channelId: ofChannel }));
  const found = await waits.free(all, async ({ name }) => name === "in doubt");
  return found.map(({ name }) => name);
}

test("a channel that fails is left alone, and no other one", async () => {
  uncertain();
  expect(await free()).toEqual([]);
  expect(await free("2")).toEqual(["sent for the first time", "in doubt"]);
  now = firstMs;
  expect(await free()).toEqual(["sent for the first time", "in doubt"]);
});

test.each([["channel_gone"], ["forbidden"]] as const)(
  "one that is closed (%s) is left alone for longer",
  async (code) => {
    waits.failed(channelId, new MessengerError(code));
    now = lostMs - 1;
    expect(await free()).toEqual([]);
    now = lostMs;
    expect(await free()).toHaveLength(2);
  },
);

test("where the history is hidden, only what may have been sent waits", async () => {
  hidden();
  expect(await free()).toEqual(["sent for the first time"]);
  now = lostMs;
  expect(await free()).toHaveLength(2);
});

test("what was sent without a look leaves what is in doubt waiting, and what was looked for ends that", async () => {
  hidden();
  waits.sent(channelId, false);
  expect(await free()).toEqual(["sent for the first time"]);
  waits.sent(channelId, true);
  expect(await free()).toHaveLength(2);
});

test("after a success the next failure is a first one", async () => {
  uncertain();
  uncertain();
  waits.sent(channelId, false);
  uncertain();
  expect(waits.all.map((wait) => wait.waitMs())).toEqual([firstMs]);
});

test("both kinds of waits are among all", () => {
  uncertain();
  hidden();
  expect(waits.all.map((wait) => wait.waitMs())).toEqual([firstMs, lostMs]);
});
