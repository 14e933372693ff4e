import { useSelector } from '@xstate/react';
import { type DisplayActor, sideOf, splitsLines } from '#machines/playground/reader/display/machine.ts';
import type { TranscriptRecord } from '#machines/playground/transcript/record.ts';
import type { PlayerActor } from '#machines/playground/player/machine.ts';
import type { SearchActor } from '#machines/playground/reader/search/machine.ts';
import type { SelectionActor } from '#machines/playground/reader/selection/machine.ts';
import { TranscriptText } from '../transcript/TranscriptText.tsx';
import { DisplayBar } from './DisplayBar.tsx';

type Props = {
  record: TranscriptRecord;
  /** The record as it is when it is copied. */
  read: () => TranscriptRecord;
  display: DisplayActor;
  label: string;
  withTags: boolean;
  /** Whether a target language is set; unknown where the transcript itself has to tell. */
  hasTarget?: boolean;
  isFollowing?: boolean;
  search: SearchActor;
  selection: SelectionActor;
  player?: PlayerActor | undefined;
};

/** A transcript as the user wants it shown; the choice is offered where there is something to choose. */
export function ShownTranscript({
  record,
  read,
  display,
  label,
  withTags,
  hasTarget,
  isFollowing = false,
  search,
  selection,
  player,
}: Props) {
  const isTranslated = record.hasTranslations;
  const isAimed = hasTarget ?? isTranslated;
  const isSplit = useSelector(display, ({ context }) => splitsLines(context, isAimed));
  const isOffered = isTranslated || isAimed;
  const option = useSelector(display, ({ context }) => sideOf(context, isOffered));
  return (
    <>
      {isOffered && <DisplayBar display={display} hasTarget={isAimed} />}
      <TranscriptText
        record={record}
        read={read}
        label={label}
        option={option}
        isSplit={isSplit}
        withTags={withTags}
        isFollowing={isFollowing}
        search={search}
        selection={selection}
        player={player}
      />
    </>
  );
}
