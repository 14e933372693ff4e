import { textOf } from './bytes.ts';
import { variableAt } from './ebml.ts';

const CLUSTER = '\x1F\x43\xB6\x75';
const CLUSTER_TIME = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
/** Boxes that begin a fragment of an MP4. */
const FRAGMENTS = ['moof', 'styp', 'sidx'];
/** Blocks in a row, each beginning where the last one ends, that do not occur by chance. */
const BLOCKS_IN_A_ROW = 3;

/**
 * For a part that begins inside a block, page or fragment: the name of the next one, and a check of the bytes behind.
 */
const INSIDE: readonly (readonly [
  format: string,
  mark: string,
  isValid: (bytes: Uint8Array, at: number) => boolean,
])[] = [
  ['WebM or Matroska', CLUSTER, hasTime],
  ['Ogg', 'OggS', isLaterPage],
  ['MP4', 'moof', (bytes, at) => textOf(bytes, at + 8, at + 12) === 'mfhd'],
];

/**
 * The format of a recording whose beginning is missing, such as a recorder's second chunk; null if none is recognized.
 */
export function laterPartOf(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes).toString('latin1');
  if (text.startsWith(CLUSTER) || beginsWithBlock(bytes, text)) return 'WebM or Matroska';
  if (text.startsWith('OggS')) return 'Ogg';
  if (FRAGMENTS.includes(text.slice(4, 8))) return 'MP4';
  for (const [format, mark, isValid] of INSIDE)
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) if (isValid(bytes, at)) return format;
  return holdsBlocks(bytes) ? 'WebM or Matroska' : null;
}

/** Whether a cluster's time stamp follows the cluster's head at `at`. */
function hasTime(bytes: Uint8Array, at: number): boolean {
  const size = variableAt(bytes, at + CLUSTER.length);
  return size !== null && bytes[size.end] === CLUSTER_TIME && (bytes[size.end + 1] ?? 0) >> 4 === 8;
}

/** Whether an Ogg page of version 0, with a number below 2^16, stands at `at` and does not begin a stream. */
function isLaterPage(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 4] === 0 && ((bytes[at + 5] ?? 0xff) & ~5) === 0 && bytes[at + 20] === 0 && bytes[at + 21] === 0;
}

/** Whether a simple block stands at the start and, if those bytes are at hand, a block or cluster follows it. */
function beginsWithBlock(head: Uint8Array, text: string): boolean {
  const next = blockEnd(head, 0);
  return (
    next !== null &&
    (next >= head.length || head[next] === SIMPLE_BLOCK || head[next] === BLOCK_GROUP || text.startsWith(CLUSTER, next))
  );
}

function holdsBlocks(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(SIMPLE_BLOCK); at >= 0; at = bytes.indexOf(SIMPLE_BLOCK, at + 1)) {
    let end: number | null = at;
    for (let count = 0; end !== null && count < BLOCKS_IN_A_ROW; count += 1) end = blockEnd(bytes, end);
    if (end !== null) return true;
  }
  return false;
}

/** Where the simple block at `at` ends; null if there is none. */
function blockEnd(bytes: Uint8Array, at: number): number | null {
  const size = bytes[at] === SIMPLE_BLOCK ? variableAt(bytes, at + 1) : null;
  const track = size && variableAt(bytes, size.end);
  const flags = track && bytes[track.end + 2];
  if (!flags || track.value === 0 || track.end - size.end > 1 || (flags & 0x70) !== 0) return null;
  return size.end + size.value;
}
