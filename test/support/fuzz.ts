import fc from "fast-check";
import { expect } from "vitest";
import type { MessagePayload, PostPayload } from "../../src/views/parts/payload.ts";
import { sized } from "./sized.ts";
import { expectAccepted, textOf } from "./views-support.ts";

/** Cases of each property. A failure prints its seed. */
export const runs = { numRuns: sized(150, 50_000) };
/** The longest time of all cases, in ms. */
export const patience = { timeout: 180_000 + runs.numRuns * 50 };

/** Texts that trick programs. */
export const trick: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ..."¦ ¦\0¦\n¦\r\n¦\u2028¦\ufeff¦\ud800¦\udc00¦%¦%zz¦%00¦%ud800¦:¦::¦,".split("¦"),
    ...["__proto__", "constructor", "toString", "hasOwnProperty", "prototype", "null", "undefined", "NaN", "true", "0"],
    ...["-1", "1e999", "0x10", "1_000", "９", "1,5", ".5", "+1", "9007199254740993", "99999999999999999999999999"],
    ...["@everyone", "@here", "<@1>", "<@!1>", "<@&1>", "<#1>", "</a:1>", "<id:guide>", "[a](https://e.example)"],
    ...["https://e.example", "javascript:alert(1)", "file:///etc/passwd", "../../etc/passwd", "{{1}}", "$&$1$`"],
    ..."'; DROP TABLE a;--¦<script>¦\\¦`¦```¦> ¦# ¦-# ¦||¦~~¦\u202e¦\u200b¦👩\u200d".split("¦"),
  ),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ maxLength: 30 }),
  fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
);

/** Several tricks in a row, and sometimes very many. */
export const tricks: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: trick },
  { weight: 4, arbitrary: fc.array(trick, { maxLength: 8 }).map((parts) => parts.join("")) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(trick, fc.integer({ min: 2, max: 2_000 }))
      .map(([text, count]) => text.repeat(count).slice(0, 6_000)),
  },
);

/** What Discord acts on if it is neither escaped nor in `code`: a mention, a link, a command, an emoji of its own. */
const ACTING = /@(?:everyone|here)|<(?:@|#|\/|id:|a?:)|:\/\/|\]\(/i;
/** The first match counts: a backtick may be escaped, a backslash may be in `code`. */
const ESCAPED_OR_CODE = /\\[^0-9A-Za-z\s]|`[^`\n]*`/g;

/** Only the times, channels and roles (`ours`) that the bot names itself may act. */
function expectInert(text: string, ours = /$^/g): void {
  const rest = text.replace(ESCAPED_OR_CODE, "\u0001").replace(/<t:-?\d+:[a-zA-Z]>/g, "");
  expect(rest.replace(ours, "")).not.toMatch(ACTING);
}

/** The pretend Discord must take the message, and nothing in it may mention or link. */
export function expectHarmless(payload: MessagePayload | PostPayload, ours?: RegExp): void {
  expectAccepted(payload);
  expectInert(textOf(payload), ours);
}
