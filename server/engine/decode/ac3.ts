const HEADER_BYTES = 6;
/** kbit/s by half the frame size code. */
const BITRATES = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];
const RATES = [48_000, 44_100, 32_000];
const SAMPLES = 1536;
/** Bitstream ids (bsid) up to this are AC-3, those above E-AC-3. */
const AC3_KIND_MAX = 10;
const KIND_MAX = 16;

/** The frame whose header is at `at`; null if there is none. */
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

/** Recognizes AC-3 or E-AC-3 by two frames in a row; null if it is neither, or too short to tell. */
export function ac3Format(head: Uint8Array): 'ac3' | 'eac3' | null {
  const first = ac3FrameAt(head, 0);
  return first !== null && ac3FrameAt(head, first.bytes)?.format === first.format ? first.format : null;
}
