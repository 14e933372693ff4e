import { Badge } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import type { Transcription } from '#contract/transcriptions.ts';
import { plainRoute } from '#machines/playground/context.ts';
import { settingsOf } from '#machines/playground/transcription/settingsOf.ts';
import { isRunning, stateOf } from '#machines/playground/transcription/texts.ts';
import { formatUsd } from '../../organization/figures.ts';
import { formatClock } from '../../transcript/details.ts';
import { Age } from '../Age.tsx';
import { capitalize } from '../format.ts';
import { ItemRow } from './ItemRow.tsx';
import { EmptyLine, PagedItems } from './PagedItems.tsx';
import { usePlayground } from '../state.ts';

/** The project's transcriptions, newest first. */
export function History() {
  const playground = usePlayground();
  const list = useSelector(playground, (snapshot) => snapshot.children.transcriptions);
  const removal = useSelector(playground, (snapshot) => snapshot.children.removal);
  const base = useSelector(playground, ({ context }) => plainRoute(context), shallowEqual);
  if (!list || !removal) return null;
  return (
    <PagedItems list={list} label="Transcriptions" empty={<EmptyLine>You have no transcriptions.</EmptyLine>}>
      {(item, rowRef) => (
        <ItemRow
          key={item.id}
          id={item.id}
          rowRef={rowRef}
          to={{ ...base, transcriptionId: item.id }}
          name={item.filename}
          details={
            <>
              <Age at={item.created_at} /> ·{' '}
              {[lengthOf(item), costOf(item), item.model, ...settingsOf(item)].filter(Boolean).join(' · ')}
            </>
          }
          mark={<StateBadge item={item} />}
          onDelete={() =>
            removal.send({
              type: 'removal.requested',
              item: { kind: 'transcription', id: item.id, name: item.filename, isRunning: isRunning(item) },
            })
          }
        />
      )}
    </PagedItems>
  );
}

const lengthOf = ({ audio_duration_ms: ms }: Transcription): string => (ms === null ? '' : formatClock(ms));

const costOf = ({ cost_usd: cost }: Transcription): string => (cost === null ? '' : formatUsd(cost));

const PALETTES: Record<string, string> = { completed: 'green', error: 'red', cancelled: 'gray' };

function StateBadge({ item }: { item: Transcription }) {
  const state = stateOf(item);
  return (
    <Badge
      size="xs"
      flexShrink="0"
      ms="auto"
      variant="subtle"
      colorPalette={PALETTES[state] ?? 'blue'}
      fontVariantNumeric="tabular-nums"
    >
      {capitalize(state)}
    </Badge>
  );
}
