import { Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { standIn } from '#machines/shared/pagedList/machine.ts';
import { openedIdOf } from '#machines/playground/context.ts';
import type { PlaygroundActor } from '#machines/playground/machine.ts';
import type { RemovalActor } from '#machines/playground/removal/machine.ts';
import { confirmLabel, REMOVAL_QUESTION, removalEffect } from '#machines/playground/removal/texts.ts';
import { pageHeading, rowButton } from '../../../behaviours/rowFocus.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { usePlayground, useRemoval } from '../state.ts';

/** Asks before a file or a transcription goes for good (LIB-03). */
export function RemovalDialog() {
  const playground = usePlayground();
  const removal = useRemoval();
  const isOpen = useSelector(removal, (snapshot) => snapshot.hasTag('confirming'));
  const item = useSelector(removal, (snapshot) => snapshot.context.item);
  return (
    <ConfirmDialog
      open={isOpen}
      title={REMOVAL_QUESTION}
      confirmLabel={confirmLabel(item)}
      cancelLabel={item?.isRunning ? 'Keep it' : 'Cancel'}
      onConfirm={() => removal.send({ type: 'removal.confirmed' })}
      finalFocus={() => placeOf(playground, removal)}
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

/** The row that was asked about, or what stands there now; the page's heading where the page is about to change. */
function placeOf(playground: PlaygroundActor, removal: RemovalActor): HTMLElement | null {
  const { latest } = removal.getSnapshot().context;
  if (!latest) return null;
  const { children, context } = playground.getSnapshot();
  const isFile = latest.kind === 'file';
  const list = isFile ? children.files?.getSnapshot().context : children.transcriptions?.getSnapshot().context;
  const stands = list ? standIn<{ id: string }>(list, latest.id) : null;
  if (!isFile && latest.id === openedIdOf(context) && stands !== latest.id) return pageHeading();
  return rowButton(isFile ? 'Files' : 'Transcriptions', stands);
}
