import { Box, Button, VisuallyHidden } from '@chakra-ui/react';
import { ArrowDown } from 'lucide-react';
import { useSelector } from '@xstate/react';
import { memo, useId, useMemo } from 'react';
import { Virtualizer } from 'virtua';
import type { PlayerActor } from '#machines/player/machine.ts';
import type { SearchActor } from '#machines/search/machine.ts';
import { createLineReader, type RenderOption } from '#machines/transcript/lines.ts';
import type { TranscriptRecord } from '#machines/transcript/record.ts';
import { followEnd } from '../../behaviours/followEnd.ts';
import { followPlayback } from '../../behaviours/followPlayback.ts';
import { createRowScroller } from '../../behaviours/rowScroller.ts';
import { wordDetails } from '../../behaviours/wordDetails.ts';
import { type Mark, ParagraphRow } from './ParagraphRow.tsx';
import { createParagraphReader, createRunReader, type Paragraph } from './paragraphs.ts';
import { createPlaceAt } from './places.ts';
import { findHits, type Hit } from './search.ts';
import { SearchBar } from './SearchBar.tsx';
import { Tooltip } from './Tooltip.tsx';

type Props = {
  record: TranscriptRecord;
  /** Name of the region. */
  label: string;
  option?: RenderOption;
  /** Whether originals, translations and languages stand on lines of their own. */
  isSplit?: boolean;
  /** Whether tooltips tell the language tags (feature flag stt-tags). */
  withTags?: boolean;
  /** Whether the output stays at its end while it grows. */
  isFollowing?: boolean;
  search: SearchActor;
  /** Plays the recording; what it says is marked. */
  player?: PlayerActor | undefined;
};

/** A transcript of any length: only what is seen is in the page, and what has settled is not rendered again. */
export const TranscriptText = memo(function TranscriptText({ record, label, option = 'everything', isSplit = true, withTags = false, isFollowing = false, search, player }: Props) {
  const paragraphs = useParagraphs(record, option, isSplit);
  const hits = useHits(search, paragraphs);
  const current = useSelector(search, ({ context }) => (hits.length === 0 ? -1 : context.current % hits.length));
  const marks = useMemo(() => marksOf(hits, current), [hits, current]);
  const rows = useMemo(() => createRowScroller(), []);
  const reveal = useMemo(() => rows.revealing(hits[current]?.row), [rows, hits, current]);
  const playback = useMemo(() => (player ? followPlayback(player, createPlaceAt(paragraphs), rows.scrollTo) : undefined), [player, paragraphs, rows]);
  const hintId = useId();
  return (
    <Box ref={isFollowing ? watchFollowing : wordDetails} position="relative" minHeight="0" display="flex" flexDirection="column" flex="1">
      <SearchBar search={search} count={hits.length} current={current} />
      <Box
        ref={playback}
        data-scroller
        as="section"
        aria-label={label}
        aria-describedby={hintId}
        tabIndex={0}
        overflowY="auto"
        overscrollBehavior="contain"
        minHeight="0"
        flex="1"
        px="1"
        focusRing="inside"
        borderRadius="l1"
        css={WORD_STYLES}
      >
        <Virtualizer ref={reveal} data={paragraphs}>{(paragraph, row) => <ParagraphRow key={paragraph.key} paragraph={paragraph} withTags={withTags} marks={marks.get(row)} />}</Virtualizer>
      </Box>
      {isFollowing && (
        <Button data-jump size="sm" variant="surface" position="absolute" bottom="3" insetStart="50%" transform="translateX(-50%)" display="none" css={{ '[data-away] > &': { display: 'inline-flex' } }}>
          <ArrowDown size={14} aria-hidden /> Jump to latest
        </Button>
      )}
      <VisuallyHidden id={hintId}>The left and right arrow keys go from word to word and tell its times.</VisuallyHidden>
      <Tooltip />
    </Box>
  );
});

function useParagraphs(record: TranscriptRecord, option: RenderOption, isSplit: boolean) {
  const read = useMemo(() => {
    const lines = createLineReader(option);
    const joined = createRunReader();
    const cut = createParagraphReader();
    return (next: TranscriptRecord) => cut(isSplit ? lines(next) : joined(lines(next)));
  }, [option, isSplit]);
  return useMemo(() => read(record), [read, record]);
}

function useHits(search: SearchActor, paragraphs: readonly Paragraph[]): readonly Hit[] {
  const query = useSelector(search, ({ context }) => context.query);
  return useMemo(() => findHits(paragraphs, query), [paragraphs, query]);
}

/** The marks of each row that has any. */
function marksOf(hits: readonly Hit[], current: number): ReadonlyMap<number, readonly Mark[]> {
  const marks = new Map<number, Mark[]>();
  for (const [index, { row, from, to }] of hits.entries()) {
    const mark = { from, to, isCurrent: index === current };
    const others = marks.get(row);
    if (others) others.push(mark);
    else marks.set(row, [mark]);
  }
  return marks;
}

function watchFollowing(element: HTMLElement): () => void {
  const undo = [wordDetails(element), followEnd(element)];
  return () => undo.forEach((end) => end());
}

const WORD_STYLES = {
  '& [data-details]': { borderRadius: '3px', outline: 'none', cursor: 'text' },
  '& [data-details]:hover': { background: 'bg.muted' },
  '& [data-details]:focus': { background: 'bg.emphasized', boxShadow: '0 0 0 2px var(--chakra-colors-bg-emphasized)' },
  '& [data-hit]': { background: 'yellow.subtle', color: 'yellow.fg' },
  '& [data-hit=current]': { background: 'yellow.solid', color: 'yellow.contrast' },
  // Told by a line too, for those who see no colours.
  '& [data-said]': { background: 'brand.subtle', boxShadow: 'inset 0 -2px 0 var(--chakra-colors-brand-solid)' },
  '& [data-mark]': { fontSize: 'xs', color: 'fg.muted', userSelect: 'none', marginInline: '6px', paddingInline: '6px', borderWidth: '1px', borderRadius: 'l1' },
  // Told apart by shape, not by colour (LIV-22).
  '& [data-pending]': { fontStyle: 'italic', textDecoration: 'underline dotted', textDecorationThickness: '1px', textUnderlineOffset: '4px' },
};
