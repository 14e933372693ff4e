import { Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { rowAtPlaceOf } from '#machines/shared/pagedList/context.ts';
import { openedIdOf } from '#machines/playground/async/context.ts';
import { confirmLabel, REMOVAL_QUESTION, removalEffect } from '#machines/playground/removal/texts.ts';
import { pageHeading, rowButton } from '../../../behaviours/rowFocus.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { useAsyncSide, useFiles, useRemoval, useTranscriptions } from '../state.ts';

/** Asks before a file or a transcription is deleted (LIB-03). */
export function RemovalDialog() {
  const asyncSide = useAsyncSide();
  const [files, transcriptions, removal] = [useFiles(), useTranscriptions(), useRemoval()];
  const isOpen = useSelector(removal, (snapshot) => snapshot.hasTag('confirming'));
  const item = useSelector(removal, (snapshot) => snapshot.context.item);
  /** The button of the row asked about, or of the row now in its place; the page's heading if the page will change. */
  const focusAfter = (): HTMLElement | null => {
    const { latest } = removal.getSnapshot().context;
    if (!latest) return null;
    const isFile = latest.kind === 'file';
    const rowId = rowAtPlaceOf<{ id: string }>((isFile ? files : transcriptions).getSnapshot().context, latest.id);
    if (!isFile && latest.id === openedIdOf(asyncSide.getSnapshot().context) && rowId !== latest.id)
      return pageHeading();
    return rowButton(isFile ? 'Files' : 'Transcriptions', rowId);
  };
  return (
    <ConfirmDialog
      open={isOpen}
      title={REMOVAL_QUESTION}
      confirmLabel={confirmLabel(item)}
      cancelLabel={item?.isRunning ? 'Keep it' : 'Cancel'}
      onConfirm={() => removal.send({ type: 'removal.confirmed' })}
      finalFocus={focusAfter}
      onCancel={() => removal.send({ type: 'removal.dismissed' })}
    >
      {item && (
        <>
          <Text fontWeight="medium" color="fg">
            <bdi>{item.name}</bdi>
          </Text>
          <Text fontSize="sm" mt="1">
            {removalEffect(item)}
          </Text>
        </>
      )}
    </ConfirmDialog>
  );
}
