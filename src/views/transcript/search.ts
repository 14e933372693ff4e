import type { Paragraph } from './paragraphs.ts';

/** A place where the text stands: words `from` up to (not with) `to` of a paragraph. */
export type Hit = { readonly row: number; readonly from: number; readonly to: number };

type Readable = { text: string; starts: readonly number[] };

const known = new WeakMap<Paragraph, Readable>();

/** Letters without case and marks, so that "cafe" finds "Café". */
const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/gu, ' ');

function read(paragraph: Paragraph): Readable {
  const before = known.get(paragraph);
  if (before) return before;
  let text = '';
  const starts = paragraph.words.map((word) => {
    const start = text.length;
    text += plain(word.text);
    return start;
  });
  const readable = { text, starts };
  known.set(paragraph, readable);
  return readable;
}

/** Every place in order; none for an empty query. A paragraph is read once. */
export function findHits(paragraphs: readonly Paragraph[], query: string): readonly Hit[] {
  const wanted = plain(query).trim();
  if (wanted === '') return [];
  const hits: Hit[] = [];
  for (const [row, paragraph] of paragraphs.entries()) {
    const { text, starts } = read(paragraph);
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      hits.push({ row, from: wordAt(starts, at), to: wordAt(starts, at + wanted.length - 1) + 1 });
    }
  }
  return hits;
}

const wordAt = (starts: readonly number[], offset: number) => starts.findLastIndex((start) => start <= offset);
