import type { Segment } from '#machines/playground/transcript/segments.ts';

/** Words of a segment, from `from` to before `to`. */
export type Range = { readonly from: number; readonly to: number };
/** A match and the index of its segment. */
type Hit = Range & { readonly segment: number };

type Readable = { text: string; starts: readonly number[] };

const readable = new WeakMap<Segment, Readable>();
const found = new WeakMap<Segment, { wanted: string; ranges: readonly Range[] }>();
const NOWHERE: readonly Range[] = [];

/** Lower case without diacritics, so that "cafe" finds "Café". */
const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/gu, ' ');

function read(segment: Segment): Readable {
  const before = readable.get(segment);
  if (before) return before;
  let text = '';
  const starts = segment.words.map((word) => {
    const start = text.length;
    text += plain(word.text);
    return start;
  });
  const now = { text, starts };
  readable.set(segment, now);
  return now;
}

/** The matches of a query in a segment; none for an empty query. Returns the same array while both stay the same. */
export function rangesIn(segment: Segment, query: string): readonly Range[] {
  const wanted = plain(query).trim();
  if (wanted === '') return NOWHERE;
  const before = found.get(segment);
  if (before?.wanted === wanted) return before.ranges;
  const { text, starts } = read(segment);
  const ranges: Range[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    ranges.push({ from: wordAt(starts, at), to: wordAt(starts, at + wanted.length - 1) + 1 });
  }
  const kept = ranges.length === 0 ? NOWHERE : ranges;
  found.set(segment, { wanted, ranges: kept });
  return kept;
}

const wordAt = (starts: readonly number[], offset: number) => starts.findLastIndex((start) => start <= offset);

/** Finds all matches in order. While the query stays the same, searches only segments after the last unchanged one. */
export function createFinder(): (segments: readonly Segment[], query: string) => readonly Hit[] {
  let known: { segments: readonly Segment[]; query: string; hits: readonly Hit[] } = {
    segments: [],
    query: '',
    hits: [],
  };
  return (segments, query) => {
    const unchanged = query === known.query ? unchangedCount(known.segments, segments) : 0;
    const hits = known.hits.slice(0, known.hits.findLastIndex(({ segment }) => segment < unchanged) + 1);
    if (query.trim() !== '') {
      for (let index = unchanged; index < segments.length; index += 1) {
        const segment = segments[index];
        if (segment) for (const range of rangesIn(segment, query)) hits.push({ segment: index, ...range });
      }
    }
    known = { segments, query, hits };
    return hits;
  };
}

/** How many leading segments are unchanged. Assumes that none before an unchanged one has changed. */
function unchangedCount(before: readonly Segment[], after: readonly Segment[]): number {
  let count = Math.min(before.length, after.length);
  while (count > 0 && before[count - 1] !== after[count - 1]) count -= 1;
  return count;
}
