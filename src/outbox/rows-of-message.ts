import { keyOf } from "../orders/outbox-row.ts";
import type { Destination } from "./destination.ts";
import { kindOf, type MessageRow, type Scope, type SenderState } from "./kind.ts";

/** If at most this many rows of the lane "alert" wait, each gets its own message. A channel takes 5 messages in 5 s. */
const mostSingles = 5;

const nameOf = ({ channelId, rule, fallbackFor, roleId }: Destination) =>
  [channelId, rule?.id, fallbackFor?.id, roleId].join(" ");

const lastMembers = ({ attempts }: MessageRow) => attempts.at(-1)?.members ?? [];

/**
 * Returns the rows of the next message; `first` is one of them. Rows that were attempted together stay together, without other
 * rows. The nonce is made from the rows, and Discord recognises a repeated message by its nonce.
 */
export function rowsOfMessage(
  { kinds, channels, memory }: SenderState,
  first: MessageRow,
  rows: readonly MessageRow[],
  { lane, guild, target }: Scope,
): readonly MessageRow[] {
  const kind = kindOf(first, kinds);
  const mostWith = (row: MessageRow) => kind.most?.(row, guild) ?? 1;
  const isAlone = (row: MessageRow) => mostWith(row) === 1 || memory.of(keyOf(row)).isAlone;
  if (isAlone(first)) return [first];
  const members = lastMembers(first);
  const together = members.join();
  const alike = rows.filter((row) => {
    const own = row.kind === first.kind && kind.target(row, guild, channels);
    if (!own || nameOf(own) !== nameOf(target) || kind.groupOf?.(row) !== kind.groupOf?.(first)) return false;
    return lastMembers(row).join() === together && !isAlone(row);
  });
  const place = (row: MessageRow) => members.indexOf(keyOf(row));
  if (members.length > 0) return alike.toSorted((one, other) => place(one) - place(other));
  if (alike.length <= (lane === "alert" ? mostSingles : 1)) return [first];
  return alike.toSorted((one, other) => one.foundAt - other.foundAt).slice(0, mostWith(first));
}
