import { keyOf } from "../orders/outbox-row.ts";
import type { ChannelHealth } from "./channel-health.ts";
import type { Destination } from "./destination.ts";
import type { AnyKind, MessageRow, Scope } from "./kind.ts";

/** What decides which rows share one message. */
export interface Sharing extends Pick<Scope, "target" | "guild"> {
  readonly kind: AnyKind;
  readonly channels: ChannelHealth;
  /** Whether the row needs its own message, because Discord refused it in a shared one. */
  isAlone(row: MessageRow): boolean;
}

const nameOf = ({ channelId, rule, fallbackFor, roleId }: Destination) =>
  [channelId, rule?.id, fallbackFor?.id, roleId].join(" ");

/** Returns the keys of all rows of the row's last attempt. Empty if the row has no attempt. */
const lastMembers = ({ attempts }: MessageRow) => attempts.at(-1)?.members ?? [];

const isSame = (keys: readonly string[], others: readonly string[]) =>
  keys.length === others.length && keys.every((key, index) => key === others[index]);

/**
 * Returns the rows of the next message. `first` is one of them and decides their kind.
 * Rows that were attempted together stay together, without other rows: the nonce is made from the rows, and Discord recognises
 * a repeat by its nonce.
 */
export function rowsOfMessage(first: MessageRow, rows: readonly MessageRow[], sharing: Sharing): readonly MessageRow[] {
  const { kind, guild, channels, target } = sharing;
  const most = kind.most(first, guild);
  if (most === 1 || sharing.isAlone(first)) return [first];
  const members = lastMembers(first);
  const alike = rows.filter((row) => {
    const own = row.kind === first.kind && kind.target(row, guild, channels);
    if (!own || nameOf(own) !== nameOf(target) || kind.groupOf(row) !== kind.groupOf(first)) return false;
    return isSame(lastMembers(row), members) && kind.most(row, guild) > 1 && !sharing.isAlone(row);
  });
  const place = (row: MessageRow) => members.indexOf(keyOf(row));
  if (members.length > 0) return alike.toSorted((one, other) => place(one) - place(other));
  if (alike.length <= kind.singles) return [first];
  return alike.toSorted((one, other) => one.foundAt - other.foundAt).slice(0, most);
}
