import type { ByteReader } from './bytes.ts';

/** An element's header in EBML (RFC 8794), the format below Matroska and WebM. `size` is Infinity if unknown. */
export interface Element {
  id: number;
  size: number;
}

/** Length of a variable-size number by its first byte; above 8 it is invalid. */
const lengthOf = (first: number): number => Math.clz32(first) - 23;

/** Value of a variable-size number; Infinity if all bits are set, which means unknown. */
function valueOf(bytes: Uint8Array): number {
  const first = bytes[0] ?? 0;
  const length = lengthOf(first);
  const top = first & ((0x80 >> (length - 1)) - 1);
  if (top === (0x80 >> (length - 1)) - 1 && bytes.subarray(1).every((byte) => byte === 0xff)) return Infinity;
  return bytes.subarray(1).reduce((value, byte) => value * 256 + byte, top);
}

/** Reads the bytes of a variable-size number; none if it is longer than `longest`, null at the end. */
async function variable(bytes: ByteReader, longest: number): Promise<Uint8Array | null> {
  const first = await bytes.take(1);
  if (first === null) return null;
  const length = lengthOf(first[0] ?? 0);
  if (length > longest) return new Uint8Array(0);
  const rest = await bytes.take(length - 1);
  return rest && Uint8Array.of(...first, ...rest);
}

/** Reads the header of the next element: 'damaged' if it is invalid, null at the end. */
export async function nextElement(bytes: ByteReader): Promise<Element | 'damaged' | null> {
  const id = await variable(bytes, 4);
  if (id === null) return null;
  if (id.length === 0) return 'damaged';
  const size = await readSize(bytes);
  return typeof size === 'number' ? { id: unsigned(id), size } : size;
}

/** Reads an element's size, after its id. */
export async function readSize(bytes: ByteReader): Promise<number | 'damaged' | null> {
  const size = await variable(bytes, 8);
  if (size === null) return null;
  return size.length === 0 ? 'damaged' : valueOf(size);
}

/** The variable-size number at `at`, and where it ends; null if it is cut or invalid. */
export function variableAt(bytes: Uint8Array, at: number): { value: number; end: number } | null {
  const length = lengthOf(bytes[at] ?? 0);
  const end = at + length;
  return length > 8 || end > bytes.length ? null : { value: valueOf(bytes.subarray(at, end)), end };
}

/** Yields the elements in the content of an element; stops at the first that is cut. */
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
