import type { API } from "@discordjs/core";
import { expect, test } from "vitest";
import { budgets } from "../../src/basics/budgets.ts";
import { createReplies } from "../../src/discord/interactions/replies.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

test("of one server only so many refusals are on their way at a time; others are dropped, and another server's are sent", async () => {
  const sent: ((error?: Error) => void)[] = [];
  const createAutocompleteResponse = () =>
    new Promise<void>((resolve, reject) => sent.push((error) => (error ? reject(error) : resolve())));
  const replies = createReplies(
    { interactions: { createAutocompleteResponse } } as unknown as API,
    quiet,
    () => "order",
  );
  const refuse = (guild: string) => replies.offerNothing({ id: "1", token: "t", guild_id: guild } as never);
  const { atOnce } = budgets.refusals;

  const first = Array.from({ length: atOnce + 5 }, () => refuse("a"));
  const other = refuse("b");
  expect(sent).toHaveLength(atOnce + 1);

  sent[0]?.(new Error("refused by Discord"));
  await expect(first[0]).rejects.toThrow("refused by Discord");
  const again = refuse("a");
  expect(sent).toHaveLength(atOnce + 2);

  for (const end of sent) end();
  await Promise.all([...first.slice(1), other, again]);
});
