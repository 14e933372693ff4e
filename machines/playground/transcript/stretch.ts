import type { Segment } from './segments.ts';

/** A place in a transcript: the segment's index, and an offset into the text of its words. */
export type Place = { readonly segment: number; readonly offset: number };

/** The spoken text between two places, in any order: one line per run, without labels. */
export function textBetween(segments: readonly Segment[], one: Place, other: Place): string {
  const [from, to] = isBefore(one, other) ? [one, other] : [other, one];
  let text = '';
  for (let index = Math.max(0, from.segment); index <= Math.min(to.segment, segments.length - 1); index += 1) {
    const segment = segments[index];
    if (segment?.kind !== 'speech') continue;
    const words = segment.words.map((word) => word.text).join('');
    const part = words.slice(index === from.segment ? from.offset : 0, index === to.segment ? to.offset : undefined);
    // Parts of a long run share a line.
    if (segment.isContinuation) text += part;
    else text = `${text.trimEnd()}\n${part.trimStart()}`;
  }
  return text.trim();
}

const isBefore = (one: Place, other: Place) =>
  one.segment < other.segment || (one.segment === other.segment && one.offset <= other.offset);
