import type { Segment } from '#machines/playground/transcript/lines.ts';

/** Words `from` up to (not with) `to` of a segment. */
export type Range = { readonly from: number; readonly to: number };
/** A place where the text stands, and in which row. */
type Hit = Range & { readonly row: number };

type Readable = { text: string; starts: readonly number[] };

const readable = new WeakMap<Segment, Readable>();
const found = new WeakMap<Segment, { wanted: string; ranges: readonly Range[] }>();
const NOWHERE: readonly Range[] = [];

/** Letters without case and marks, so that "cafe" finds "Café". */
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

/** Where a query stands in one segment; none for an empty query. The same array as long as both stay the same. */
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

/** Finds every place in order. While the query stays, only segments that are new are looked at; equal ones have only equal ones before them. */
export function createFinder(): (segments: readonly Segment[], query: string) => readonly Hit[] {
  let known: { segments: readonly Segment[]; query: string; hits: readonly Hit[] } = {
    segments: [],
    query: '',
    hits: [],
  };
  return (segments, query) => {
    const same = query === known.query ? settledRows(known.segments, segments) : 0;
    const hits = known.hits.slice(0, known.hits.findLastIndex(({ row }) => row < same) + 1);
    if (query.trim() !== '') {
      for (let row = same; row < segments.length; row += 1) {
        const segment = segments[row];
        if (segment) for (const range of rangesIn(segment, query)) hits.push({ row, ...range });
      }
    }
    known = { segments, query, hits };
    return hits;
  };
}

/** How many rows from the front are the same in both. */
function settledRows(before: readonly Segment[], after: readonly Segment[]): number {
  let row = Math.min(before.length, after.length);
  while (row > 0 && before[row - 1] !== after[row - 1]) row -= 1;
  return row;
}
