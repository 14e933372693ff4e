import { useSelector } from '@xstate/react';
import { sideOf, splitsLines } from '#machines/playground/reader/display/machine.ts';
import type { TranscriptRecord } from '#machines/playground/transcript/record.ts';
import type { PlayerActor } from '#machines/playground/player/machine.ts';
import { TranscriptText } from './transcript/TranscriptText.tsx';
import { DisplayBar } from './DisplayBar.tsx';
import { useDisplay, useShowsWordTags } from './state.ts';

type Props = {
  record: TranscriptRecord;
  /** Reads the current record, for copying. */
  read: () => TranscriptRecord;
  label: string;
  /** Whether a target language is set; by default, whether the transcript has translations. */
  hasTarget?: boolean;
  isFollowing?: boolean;
  /** Plays the recording; undefined for a live transcript. */
  player?: PlayerActor | undefined;
};

/** A transcript in the chosen display, with the choice if there is a translation or a target language. */
export function ShownTranscript({ record, read, label, hasTarget, isFollowing = false, player }: Props) {
  const display = useDisplay();
  const withTags = useShowsWordTags();
  const isTranslated = record.hasTranslations;
  const isTargeted = hasTarget ?? isTranslated;
  const isSplit = useSelector(display, ({ context }) => splitsLines(context, isTargeted));
  const hasChoice = isTranslated || isTargeted;
  const option = useSelector(display, ({ context }) => sideOf(context, hasChoice));
  return (
    <>
      {hasChoice && <DisplayBar hasTarget={isTargeted} />}
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
