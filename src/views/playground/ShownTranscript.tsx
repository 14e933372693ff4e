import { useSelector } from '@xstate/react';
import { sideOf, splitsLines } from '#machines/playground/reader/display/machine.ts';
import type { TranscriptRecord } from '#machines/playground/transcript/record.ts';
import type { PlayerActor } from '#machines/playground/player/machine.ts';
import { TranscriptText } from '../transcript/TranscriptText.tsx';
import { DisplayBar } from './DisplayBar.tsx';
import { useDisplay, useWithTags } from './state.ts';

type Props = {
  record: TranscriptRecord;
  /** The record as it is when it is copied. */
  read: () => TranscriptRecord;
  label: string;
  /** Whether a target language is set; unknown where the transcript itself has to tell. */
  hasTarget?: boolean;
  isFollowing?: boolean;
  /** Plays the recording; a live transcript has none. */
  player?: PlayerActor | undefined;
};

/** A transcript as the user wants it shown; the choice is offered where there is something to choose. */
export function ShownTranscript({ record, read, label, hasTarget, isFollowing = false, player }: Props) {
  const display = useDisplay();
  const withTags = useWithTags();
  const isTranslated = record.hasTranslations;
  const isAimed = hasTarget ?? isTranslated;
  const isSplit = useSelector(display, ({ context }) => splitsLines(context, isAimed));
  const isOffered = isTranslated || isAimed;
  const option = useSelector(display, ({ context }) => sideOf(context, isOffered));
  return (
    <>
      {isOffered && <DisplayBar hasTarget={isAimed} />}
      <TranscriptText
        record={record}
        read={read}
        label={label}
        option={option}
        isSplit={isSplit}
        withTags={withTags}
        isFollowing={isFollowing}
        player={player}
      />
    </>
  );
}
