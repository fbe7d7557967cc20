import type { API } from "@discordjs/core";
import { expect, test } from "vitest";
import { budgets } from "../../../src/basics/limits/budgets.ts";
import { createAnswerSender } from "../../../src/discord/interactions/answer-sender.ts";
import { createRoundRobin } from "../../../src/discord/interactions/round-robin.ts";
import { silentLog } from "../../support/recorded-log.ts";

const { atOnce, longestWaitMs } = budgets.refusals;

/** Discord answers the refusals when the test says so. */
function hangingAnswers() {
  const sent: ((error?: Error) => void)[] = [];
  const createAutocompleteResponse = () =>
    new Promise<void>((resolve, reject) => sent.push((error) => (error ? reject(error) : resolve())));
  const api = { interactions: { createAutocompleteResponse } } as unknown as API;
  const answerSender = createAnswerSender({
    api,
    log: silentLog,
    nameOf: () => "order",
    ending: new AbortController().signal,
  });
  return {
    sent,
    refuse: (guild: string) => answerSender.offerNothing({ id: "1", token: "t", guild_id: guild } as never),
  };
}

test("one server's refusals beyond the limit wait for a place, and another server's are sent at once", async () => {
  const { sent, refuse } = hangingAnswers();
  const first = Array.from({ length: atOnce + 5 }, () => refuse("a"));
  const other = refuse("b");
  await expect.poll(() => sent).toHaveLength(atOnce + 1);

  sent[0]?.(new Error("refused by Discord"));
  await expect(first[0]).rejects.toThrow("refused by Discord");
  await expect.poll(() => sent).toHaveLength(atOnce + 2);

  for (let index = 1; index < atOnce + 6; index++) {
    await expect.poll(() => sent.length).toBeGreaterThan(index);
    sent[index]?.();
  }
  await Promise.all([...first.slice(1), other]);
});

test("a refusal that waits for too long is dropped", async () => {
  const { sent, refuse } = hangingAnswers();
  const all = Array.from({ length: atOnce + 1 }, () => refuse("a"));
  const begunAt = performance.now();
  await all.at(-1);
  expect(performance.now() - begunAt).toBeGreaterThan(longestWaitMs / 2);
  expect(sent).toHaveLength(atOnce);
  for (const end of sent) end();
  await Promise.all(all);
});

test("work that takes turns begins one piece after another, the servers by turns, each in its own sequence", async () => {
  const rotation = createRoundRobin();
  const begun: string[] = [];
  const ask = (key: string, name: string) => rotation(key).then(() => begun.push(name));
  const busy = Array.from({ length: 5 }, (_, index) => ask("busy", `busy ${index}`));

  await Promise.all([...busy, ask("quiet", "quiet 0"), ask("other", "other 0")]);

  expect(begun).toEqual(["busy 0", "busy 1", "quiet 0", "other 0", "busy 2", "busy 3", "busy 4"]);
});
