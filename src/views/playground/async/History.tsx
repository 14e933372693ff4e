import { shallowEqual, useSelector } from '@xstate/react';
import { plainRoute } from '#machines/playground/address.ts';
import { isRunning } from '#machines/playground/transcription/progress.ts';
import { RetentionNote } from '../../ui/RetentionText.tsx';
import { Age } from '../../ui/Age.tsx';
import { factsOf, StateBadge } from './facts.tsx';
import { ItemRow } from './ItemRow.tsx';
import { EmptyLine, PagedItems } from '../../ui/PagedItems.tsx';
import { usePlayground, useRemoval, useTranscriptions } from '../state.ts';

/** The project's transcriptions, newest first. */
export function History() {
  const list = useTranscriptions();
  const removal = useRemoval();
  const base = useSelector(usePlayground(), ({ context }) => plainRoute(context), shallowEqual);
  return (
    <>
      <RetentionNote of="transcriptions" />
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
                <Age at={item.created_at} /> <span>{`· ${factsOf(item)}`}</span>
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
    </>
  );
}
