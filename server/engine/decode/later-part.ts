import { variableAt } from './ebml.ts';

const CLUSTER = '\x1F\x43\xB6\x75';
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
/** Boxes that begin a fragment of an MP4. */
const FRAGMENTS = ['moof', 'styp', 'sidx'];

/**
 * The format of a recording of which only a later part came, such as what a recorder gave out after its first piece; null where bytes
 * of no known format begin like none.
 */
export function laterPartOf(head: Uint8Array): string | null {
  const text = Buffer.from(head).toString('latin1');
  if (text.startsWith(CLUSTER) || beginsWithBlock(head, text)) return 'WebM or Matroska';
  if (text.startsWith('OggS')) return 'Ogg';
  return FRAGMENTS.includes(text.slice(4, 8)) ? 'MP4' : null;
}

/** A block of a track by its number, a time and flags, and the head of what follows it where that is at hand. */
function beginsWithBlock(head: Uint8Array, text: string): boolean {
  const size = head[0] === SIMPLE_BLOCK ? variableAt(head, 1) : null;
  const track = size && variableAt(head, size.end);
  const flags = track && head[track.end + 2];
  if (!flags || track.value === 0 || track.end - size.end > 1 || (flags & 0x70) !== 0) return false;
  const next = size.end + size.value;
  return (
    next >= head.length || head[next] === SIMPLE_BLOCK || head[next] === BLOCK_GROUP || text.startsWith(CLUSTER, next)
  );
}
