import { memo } from 'react';
import type { Segment, Word } from '#machines/playground/transcript/segments.ts';
import { speakerColour } from '../../../theme/speakers.ts';
import { languageName } from '#machines/playground/settings/languageName.ts';
import { formatClock, wordDetailsText } from './details.ts';
import type { Range } from './search.ts';

type Props = {
  segment: Segment;
  withTags: boolean;
  /** The words that match the search. */
  ranges: readonly Range[];
  /** First word of the current match, if it is in this segment. */
  currentFrom: number | undefined;
};

/** A segment; renders only when its words change. Plain elements (see styles.ts) for fast scrolling. */
export const TranscriptSegment = memo(function TranscriptSegment({ segment, withTags, ranges, currentFrom }: Props) {
  if (segment.kind === 'separator') return <hr data-segment={segment.key} />;
  const { speaker, words, finalWords, isTranslation, isOpening } = segment;
  return (
    <div
      data-segment={segment.key}
      data-row={isOpening ? 'opening' : ''}
      data-translation={isTranslation ? '' : undefined}
      {...(speaker === null ? {} : { 'data-speaker': '', style: { borderColor: speakerColour(speaker) } })}
    >
      {isOpening && <Heading segment={segment} />}
      <p
        dir="auto"
        lang={segment.language ?? undefined}
        style={speaker === null ? undefined : { color: speakerColour(speaker) }}
      >
        {words.map((word, index) => (
          <WordSpan
            key={index}
            word={word}
            mark={markOf(word, words[index - 1], segment)}
            isFinal={index < finalWords}
            withTags={withTags}
            hit={hitOf(ranges, currentFrom, index)}
          />
        ))}
      </p>
    </div>
  );
});

type WordProps = {
  word: Word;
  mark: string;
  isFinal: boolean;
  withTags: boolean;
  hit: 'current' | 'other' | undefined;
};

function hitOf(ranges: readonly Range[], currentFrom: number | undefined, index: number): WordProps['hit'] {
  const range = ranges.find(({ from, to }) => index >= from && index < to);
  return range && (range.from === currentFrom ? 'current' : 'other');
}

const WordSpan = memo(function WordSpan({ word, mark, isFinal, withTags, hit }: WordProps) {
  const text = word.text.trimStart();
  const start = word.tokens.find(({ start_ms: ms }) => ms !== undefined)?.start_ms;
  return (
    <>
      {mark !== '' && <span data-mark="">{mark}</span>}
      {word.text.slice(0, word.text.length - text.length)}
      <span
        data-details={wordDetailsText(word, withTags)}
        data-start={start}
        data-hit={hit}
        {...(isFinal ? {} : { 'data-pending': '' })}
      >
        {text}
      </span>
    </>
  );
});

/** The new language or translation status, if it changes at this word within a segment; else ''. */
function markOf(word: Word, before: Word | undefined, segment: Segment): string {
  const [token] = word.tokens;
  const previous = before?.tokens[0];
  if (!token) return '';
  const language = token.language ?? null;
  const isTranslation = token.translation_status === 'translation';
  const wasLanguage = before ? (previous?.language ?? null) : segment.language;
  const wasTranslation = before ? previous?.translation_status === 'translation' : segment.isTranslation;
  if (language === wasLanguage && isTranslation === wasTranslation) return '';
  return describe(language, isTranslation) || 'Original';
}

const describe = (language: string | null, isTranslation: boolean) =>
  [isTranslation ? 'Translation' : '', language === null ? '' : languageName(language)]
    .filter((part) => part !== '')
    .join(' · ');

/** Speaker, language and start time; not copied with the text. */
function Heading({ segment }: { segment: Segment }) {
  const { speaker, language, isTranslation, isNewSpeaker } = segment;
  const start = segment.words[0]?.tokens[0]?.start_ms;
  if ((speaker === null || !isNewSpeaker) && language === null && !isTranslation) return null;
  return (
    <div data-heading="">
      {speaker !== null && isNewSpeaker && (
        <strong style={{ color: speakerColour(speaker) }}>
          Speaker <bdi>{speaker}</bdi>
        </strong>
      )}
      <span>{describe(language, isTranslation)}</span>
      {start !== undefined && <time>{formatClock(start)}</time>}
    </div>
  );
}
