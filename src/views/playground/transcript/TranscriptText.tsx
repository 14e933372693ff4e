import { Box, Button, VisuallyHidden } from '@chakra-ui/react';
import { ArrowDown } from 'lucide-react';
import { useSelector } from '@xstate/react';
import { memo, useId, useMemo } from 'react';
import { Virtualizer } from 'virtua';
import type { PlayerActor } from '#machines/playground/player/machine.ts';
import { createSegmentReader } from '#machines/playground/transcript/segments.ts';
import type { RenderOption } from '#machines/shared/route.ts';
import type { TranscriptRecord } from '#machines/playground/transcript/record.ts';
import { textBetween } from '#machines/playground/transcript/stretch.ts';
import { followEnd } from '../../../behaviours/followEnd.ts';
import { followPlayback } from '../../../behaviours/followPlayback.ts';
import { rowSelection } from '../../../behaviours/rowSelection.ts';
import { createRowScroller } from '../../../behaviours/rowScroller.ts';
import { textKeys } from '../../../behaviours/textKeys.ts';
import { wordDetails } from '../../../behaviours/wordDetails.ts';
import { useSearch, useTextSelection } from '../state.ts';
import { TranscriptSegment } from './TranscriptSegment.tsx';
import { createSpokenWordAt } from './places.ts';
import { createFinder, rangesIn } from './search.ts';
import { SearchBar } from './SearchBar.tsx';
import { TEXT_STYLES } from './styles.ts';
import { Tooltip } from './Tooltip.tsx';

type Props = {
  record: TranscriptRecord;
  /** Reads the current record, for copying. */
  read: () => TranscriptRecord;
  /** The region's accessible name. */
  label: string;
  option?: RenderOption;
  /** Whether originals, translations and languages each begin a new segment. */
  isSplit?: boolean;
  /** Whether tooltips show language tags (feature flag stt-tags). */
  withTags?: boolean;
  /** Whether to keep scrolling to the end while the transcript grows. */
  isFollowing?: boolean;
  /** Plays the recording; the transcript marks the spoken word. */
  player?: PlayerActor | undefined;
};

/** A transcript of any length: renders only visible segments, and none again that has not changed. */
export const TranscriptText = memo(function TranscriptText({
  record,
  read,
  label,
  option = 'everything',
  isSplit = true,
  withTags = false,
  isFollowing = false,
  player,
}: Props) {
  const search = useSearch();
  const selection = useTextSelection();
  const readSegments = useMemo(() => createSegmentReader({ option, isSplit }), [option, isSplit]);
  const segments = useMemo(() => readSegments(record), [readSegments, record]);
  const query = useSelector(search, ({ context }) => context.query);
  const find = useMemo(() => createFinder(), []);
  const hits = useMemo(() => find(segments, query), [find, segments, query]);
  const current = useSelector(search, ({ context }) => (hits.length === 0 ? -1 : context.current % hits.length));
  const hit = hits[current];
  const hitSegment = hit?.segment;
  const scroller = useMemo(() => createRowScroller(), []);
  const reveal = useMemo(() => scroller.revealing(hitSegment), [scroller, hitSegment]);
  const playback = useMemo(
    () => (player ? followPlayback(player, createSpokenWordAt(segments), scroller.scrollTo) : undefined),
    [player, segments, scroller],
  );
  const watch = useMemo(() => {
    const keys = textKeys({
      search: () => search.send({ type: 'search.requested' }),
      goTo: scroller.scrollTo,
    });
    const copying = rowSelection(selection, (one, other) => textBetween(readSegments(read()), one, other));
    const behaviours = [scroller.watch, wordDetails, keys, copying, ...(isFollowing ? [followEnd] : [])];
    return (element: HTMLElement) => {
      const undo = behaviours.map((begin) => begin(element));
      return () => undo.forEach((end) => end());
    };
  }, [search, selection, scroller, read, readSegments, isFollowing]);
  const selected = useSelector(selection, ({ context }) => context.rows);
  const kept = useMemo(() => selected.filter((index) => index < segments.length), [selected, segments.length]);
  const hintId = useId();
  return (
    <Box ref={watch} position="relative" minHeight="0" display="flex" flexDirection="column" flex="1">
      <SearchBar count={hits.length} current={current} />
      <Box
        ref={playback}
        data-scroller
        className="notranslate"
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
        css={TEXT_STYLES}
      >
        <Virtualizer ref={reveal} data={segments} keepMounted={kept}>
          {(segment, index) => (
            <TranscriptSegment
              key={segment.key}
              segment={segment}
              withTags={withTags}
              ranges={rangesIn(segment, query)}
              currentFrom={index === hitSegment ? hit?.from : undefined}
            />
          )}
        </Virtualizer>
      </Box>
      {isFollowing && (
        <Button
          data-jump
          size="sm"
          variant="surface"
          position="absolute"
          bottom="3"
          insetStart="50%"
          transform="translateX(-50%)"
          display="none"
          css={{ '[data-away] > &': { display: 'inline-flex' } }}
        >
          <ArrowDown size={14} aria-hidden /> Jump to latest
        </Button>
      )}
      <VisuallyHidden id={hintId}>Use ← and → to move by word and hear its time.</VisuallyHidden>
      <Tooltip />
    </Box>
  );
});
