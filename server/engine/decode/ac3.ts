const HEADER_BYTES = 6;
/** kbit/s by every second code of a size. */
const BITRATES = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];
const RATES = [48_000, 44_100, 32_000];
const SAMPLES = 1536;
/** The last kind of stream that is AC-3; those above are E-AC-3. */
const AC3_KIND_MAX = 10;
const KIND_MAX = 16;

/** A frame whose header stands at a place; null when none does. */
export function ac3FrameAt(bytes: Uint8Array, at: number): { format: 'ac3' | 'eac3'; bytes: number } | null {
  const [mark, markEnd, third = 0, fourth = 0, code = 0, fifth = 0] = bytes.subarray(at, at + HEADER_BYTES);
  if (mark !== 0x0b || markEnd !== 0x77) return null;
  const kind = fifth >> 3;
  if (kind > KIND_MAX) return null;
  if (kind > AC3_KIND_MAX) return { format: 'eac3', bytes: 2 * ((((third & 7) << 8) | fourth) + 1) };
  const rate = RATES[code >> 6];
  const kilobits = BITRATES[(code & 63) >> 1];
  if (rate === undefined || kilobits === undefined) return null;
  const padding = rate === 44_100 ? code & 1 : 0;
  return { format: 'ac3', bytes: 2 * (Math.floor((kilobits * 1000 * SAMPLES) / (16 * rate)) + padding) };
}

/** AC-3 or E-AC-3, by its first frame and the one behind it; null when it is neither, or too short to tell. */
export function ac3Format(head: Uint8Array): 'ac3' | 'eac3' | null {
  const first = ac3FrameAt(head, 0);
  return first !== null && ac3FrameAt(head, first.bytes)?.format === first.format ? first.format : null;
}
