import { createHash } from "node:crypto";

/** The largest body that is taken, in bytes: 200 times an ordinary page of orders. */
export const largestBody = 8 * 1024 * 1024;
/** For all bodies under way together: 32 of the largest, of whatever stores. */
const defaultRoomBytes = 256 * 1024 * 1024;
/** Up to here a body takes no room from the others, three ordinary pages: whatever stores fill the room, the rest go on. */
const smallBody = 128 * 1024;
/** Most answers fit, and grow no further. */
const leastBuffer = 64 * 1024;
/** A hash has a price per call: a body in single bytes would cost a hundred times as much. */
const hashBytes = 16 * 1024;

/** The body of one answer, while it arrives and while it is read. */
export interface Body {
  /** Copies a piece; false when there is no room for it. */
  add(piece: Buffer): boolean;
  /** What has arrived. Good until {@link Body.free}. */
  bytes(): Buffer;
  /** What the bytes are recognised by; taken once, when all have arrived. Undefined when that was not asked for. */
  fingerprint(): string | undefined;
  /** Gives its room back. Takes nothing more. */
  free(): void;
}

/** The bodies of all answers under way. */
export interface Bodies {
  begin(wantsFingerprint: boolean): Body;
}

/** @param room bytes that the bodies of more than 128 KiB may take together */
export function createBodies(room: number = defaultRoomBytes): Bodies {
  let left = room;

  function begin(wantsFingerprint: boolean): Body {
    // The first piece itself, which is the whole of most bodies. With a second one a buffer that grows: pieces that are
    // kept hold a hundred bytes each, and what they were cut from.
    let buffer: Buffer = Buffer.alloc(0);
    let length = 0;
    let hashed = 0;
    let taken = 0;
    let isFree = false;
    // The cheapest hash that no two answers share by chance: 25 µs for 40 kB (SHA-256 33, MD5 57). A store that makes
    // two on purpose hides its orders from itself alone.
    const hash = wantsFingerprint ? createHash("sha1") : undefined;

    function hashRest(): void {
      hash?.update(buffer.subarray(hashed, length));
      hashed = length;
    }
    function takeRoom(size: number): boolean {
      const more = (size > smallBody ? size : 0) - taken;
      if (more > left) return false;
      left -= more;
      taken += more;
      return true;
    }
    function grow(least: number): boolean {
      const size = Math.max(least, leastBuffer, Math.min(2 * buffer.length, largestBody));
      if (!takeRoom(size)) return false;
      const larger = Buffer.allocUnsafeSlow(size);
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
      return true;
    }

    return {
      add(piece) {
        if (isFree) return false;
        const end = length + piece.length;
        if (length === 0) {
          if (!takeRoom(end)) return false;
          buffer = piece;
        } else {
          if (end > buffer.length && !grow(end)) return false;
          buffer.set(piece, length);
        }
        length = end;
        if (hash !== undefined && length - hashed >= hashBytes) hashRest();
        return true;
      },
      bytes: () => buffer.subarray(0, length),
      fingerprint() {
        hashRest();
        return hash?.digest("base64");
      },
      free() {
        isFree = true;
        left += taken;
        taken = 0;
        buffer = Buffer.alloc(0);
        length = 0;
      },
    };
  }

  return { begin };
}
