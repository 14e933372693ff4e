import type { ByteReader } from './bytes.ts';

/** An element of EBML, the format below Matroska and WebM. `size` is Infinity where its writer did not know it yet. */
export interface Element {
  id: number;
  size: number;
}

/** Length of a variable-size number by its first byte; above 8 there is none. */
const lengthOf = (first: number): number => Math.clz32(first) - 23;

/** Value without its length mark; Infinity when all bits are set, which means unknown. */
function valueOf(bytes: Uint8Array): number {
  const first = bytes[0] ?? 0;
  const length = lengthOf(first);
  const top = first & ((0x80 >> (length - 1)) - 1);
  if (top === (0x80 >> (length - 1)) - 1 && bytes.subarray(1).every((byte) => byte === 0xff)) return Infinity;
  return bytes.subarray(1).reduce((value, byte) => value * 256 + byte, top);
}

/** Reads a variable-size number, mark included; no bytes when it is longer than allowed, null at the end. */
async function variable(bytes: ByteReader, longest: number): Promise<Uint8Array | null> {
  const first = await bytes.take(1);
  if (first === null) return null;
  const length = lengthOf(first[0] ?? 0);
  if (length > longest) return new Uint8Array(0);
  const rest = await bytes.take(length - 1);
  return rest && Uint8Array.of(...first, ...rest);
}

/** Reads the head of the next element: 'damaged' when there is none at this place, null at the end. */
export async function nextElement(bytes: ByteReader): Promise<Element | 'damaged' | null> {
  const id = await variable(bytes, 4);
  if (id === null) return null;
  if (id.length === 0) return 'damaged';
  const size = await readSize(bytes);
  return typeof size === 'number' ? { id: unsigned(id), size } : size;
}

/** Reads the size after an id. */
export async function readSize(bytes: ByteReader): Promise<number | 'damaged' | null> {
  const size = await variable(bytes, 8);
  if (size === null) return null;
  return size.length === 0 ? 'damaged' : valueOf(size);
}

/** A variable-size number within bytes at hand, and where it ends; null when it is not whole. */
export function variableAt(bytes: Uint8Array, at: number): { value: number; end: number } | null {
  const length = lengthOf(bytes[at] ?? 0);
  const end = at + length;
  return length > 8 || end > bytes.length ? null : { value: valueOf(bytes.subarray(at, end)), end };
}

/** The elements inside one that is at hand; ends at the first that is not whole. */
export function* children(bytes: Uint8Array): Generator<{ id: number; content: Uint8Array }> {
  for (let at = 0; at < bytes.length;) {
    const idLength = lengthOf(bytes[at] ?? 0);
    const size = variableAt(bytes, at + idLength);
    if (idLength > 4 || size === null || size.end + size.value > bytes.length) return;
    yield { id: unsigned(bytes.subarray(at, at + idLength)), content: bytes.subarray(size.end, size.end + size.value) };
    at = size.end + size.value;
  }
}

export const unsigned = (bytes: Uint8Array): number => bytes.reduce((value, byte) => value * 256 + byte, 0);
