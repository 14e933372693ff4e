/**
 * Loaded before the database of a release is made (`--import`). Fixes time and random numbers, so that the same
 * migrations make the same bytes. Never make a secret with it; migrations make none.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const NOW = Date.UTC(2026, 0, 1);

const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [NOW] : given));
  }
  static now() {
    return NOW;
  }
};
performance.now = () => 0;
process.hrtime = Object.assign(() => [0, 0], { bigint: () => 0n });
Math.random = () => 0.5;

function fill(view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = (at * 7 + 3) & 0xff;
  return view;
}
Object.defineProperty(globalThis.crypto, 'getRandomValues', { value: fill });
crypto.randomFillSync = fill;
crypto.randomBytes = (size) => Buffer.from(fill(new Uint8Array(size)));
syncBuiltinESMExports();
