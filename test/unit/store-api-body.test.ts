import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createBodies } from "../../src/store-api/body.ts";

const mebibyte = 1024 * 1024;
const fingerprintOf = (bytes: Buffer) => createHash("sha1").update(bytes).digest("base64");

it("a body is what arrived, and so is its fingerprint, in whatever pieces", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40_000 }), { maxLength: 12 }), (pieces) => {
      const whole = Buffer.concat(pieces);
      const body = createBodies().begin(true);

      for (const piece of pieces) expect(body.add(Buffer.from(piece))).toBe(true);
      expect(body.bytes().equals(whole)).toBe(true);
      expect(body.fingerprint()).toBe(fingerprintOf(whole));
    }),
  );
});

/** A body in single bytes, and the milliseconds that it took. */
function inSingleBytes(wantsFingerprint: boolean) {
  const body = createBodies().begin(wantsFingerprint);
  const piece = Buffer.alloc(1);
  const before = process.threadCpuUsage();
  body.add(Buffer.alloc(1));
  for (let count = 1; count < 8 * mebibyte; count += 1) {
    // The next piece stands where this one stood: whoever keeps it has the wrong bytes.
    piece[0] = count;
    body.add(piece);
  }
  const { user, system } = process.threadCpuUsage(before);
  return { body, ms: (user + system) / 1_000 };
}

it("a body in single bytes is copied, not kept piece by piece, and its fingerprint costs little (8 MiB took 1.3 GB)", () => {
  const { body, ms } = inSingleBytes(true);
  expect(body.bytes().equals(Buffer.from(Uint8Array.from({ length: 8 * mebibyte }, (_, index) => index)))).toBe(true);
  expect(body.bytes().buffer.byteLength).toBe(8 * mebibyte);
  expect(ms).toBeLessThan(3 * inSingleBytes(false).ms);
});

it("a body that comes in one piece is not copied", () => {
  const body = createBodies().begin(false);
  const piece = Buffer.from("all of it");

  body.add(piece);

  expect(body.bytes().buffer).toBe(piece.buffer);
  expect(body.fingerprint()).toBeUndefined();
});

it("bodies have so much room together, except for small ones, and give it back once", () => {
  const bodies = createBodies(2 * mebibyte);
  const filled = (pieces: number) => {
    const body = bodies.begin(false);
    const piece = Buffer.alloc(64 * 1024);
    return { body, isTaken: Array.from({ length: pieces }, () => body.add(piece)).every(Boolean) };
  };
  const first = filled(16);

  const second = filled(16);

  expect([first.isTaken, second.isTaken]).toEqual([true, true]);
  expect(filled(16).isTaken).toBe(false);
  expect(filled(2).isTaken).toBe(true);

  first.body.free();
  first.body.free();

  expect(first.body.add(Buffer.alloc(1))).toBe(false);
  expect(filled(16).isTaken).toBe(true);
  expect(filled(16).isTaken).toBe(false);
});
