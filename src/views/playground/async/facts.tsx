/** Facts about a transcription, for the history and for an opened transcription. */
import { Badge } from '@chakra-ui/react';
import type { Transcription } from '#contract/transcriptions.ts';
import { settingsOf } from '#machines/playground/transcription/settingsOf.ts';
import { stateOf } from '#machines/playground/transcription/texts.ts';
import { formatUsd } from '../../ui/figures.ts';
import { formatClock } from '../transcript/details.ts';
import { capitalize } from '../../ui/format.ts';

/** One line about a transcription: duration, cost, model, and settings that differ from the defaults. */
export const factsOf = (item: Transcription): string =>
  [lengthOf(item), costOf(item), item.model, ...settingsOf(item)].filter(Boolean).join(' · ');

const lengthOf = ({ audio_duration_ms: ms }: Transcription): string => (ms === null ? '' : formatClock(ms));

const costOf = ({ cost_usd: cost }: Transcription): string => (cost === null ? '' : formatUsd(cost));

const PALETTES: Record<string, string> = { completed: 'green', failed: 'red', cancelled: 'gray' };

/** A transcription's state. */
export function StateBadge({ item }: { item: Transcription }) {
  const state = stateOf(item);
  return (
    <Badge
      size="xs"
      flexShrink="0"
      variant="subtle"
      colorPalette={PALETTES[state] ?? 'blue'}
      fontVariantNumeric="tabular-nums"
    >
      {capitalize(state)}
    </Badge>
  );
}
