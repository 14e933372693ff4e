import type { Segment } from '#machines/transcript/lines.ts';

/** The transcript as text to copy: a line per run of a speaker, headed by the speaker where there is one. */
export function plainText(segments: readonly Segment[]): string {
  return segments
    .filter((segment) => segment.kind === 'speech')
    .map((segment) => {
      const text = segment.words
        .map((word) => word.text)
        .join('')
        .trim();
      return segment.speaker === null ? text : `Speaker ${segment.speaker}: ${text}`;
    })
    .join('\n');
}
