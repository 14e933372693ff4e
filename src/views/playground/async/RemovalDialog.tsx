import { Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { RemovalActor } from '#machines/removal/machine.ts';
import { REMOVAL_QUESTION } from '#machines/removal/texts.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';

/** Asks before a file or a transcription goes for good (LIB-03). */
export function RemovalDialog({ removal }: { removal: RemovalActor }) {
  const isOpen = useSelector(removal, (snapshot) => snapshot.hasTag('confirming'));
  const item = useSelector(removal, (snapshot) => snapshot.context.item);
  return (
    <ConfirmDialog
      open={isOpen}
      title={REMOVAL_QUESTION}
      confirmLabel="Delete"
      onConfirm={() => removal.send({ type: 'removal.confirmed' })}
      onCancel={() => removal.send({ type: 'removal.dismissed' })}
    >
      {item && (
        <>
          <Text fontWeight="medium" color="fg">
            {item.name}
          </Text>
          <Text fontSize="sm" mt="1">
            {item.kind === 'file' ? 'The file is deleted; transcriptions made from it stay.' : 'The transcription and its text are deleted; the file stays.'}
          </Text>
        </>
      )}
    </ConfirmDialog>
  );
}
