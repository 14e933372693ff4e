import { Box, Button, Dialog, HStack, Portal, Progress, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { UploadActor } from '#machines/playground/upload/machine.ts';
import { UPLOAD_FAILED } from '#machines/playground/upload/machine.ts';
import { keepFocus } from '../../../behaviours/keepFocus.ts';
import { fieldOf } from '../../../behaviours/takeFocus.ts';
import { PartBoundary } from '../../ui/PartBoundary.tsx';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { FilePicker } from '../fields/FilePicker.tsx';
import { formatBytes } from '../../ui/format.ts';
import { RefusalHelp } from '../RefusalHelp.tsx';
import { useUpload } from '../state.ts';
import { FILE_CARD_ID, PICKER_ID } from './ids.ts';

/** Open while a file is uploaded, and after a failed upload (UPL-01, UPL-02). */
export function UploadDialog() {
  const upload = useUpload();
  const isOpen = useSelector(upload, (snapshot) => snapshot.hasTag('open'));
  const hasFailed = useSelector(upload, (snapshot) => snapshot.hasTag('failed'));
  const close = () => upload.send({ type: hasFailed ? 'dismiss.requested' : 'cancel.requested' });
  return (
    <Dialog.Root
      open={isOpen}
      placement="center"
      closeOnInteractOutside={false}
      // The picker may be gone by then.
      finalFocusEl={() => fieldOf(FILE_CARD_ID) ?? fieldOf(PICKER_ID)}
      lazyMount
      unmountOnExit
      onOpenChange={({ open }) => {
        if (!open) close();
      }}
    >
      <Portal>
        <Dialog.Backdrop />
        <Dialog.Positioner px="4">
          <Dialog.Content ref={keepFocus} maxW="440px">
            <Dialog.Header pb="2">
              <Dialog.Title fontSize="lg">{hasFailed ? UPLOAD_FAILED : 'Uploading file'}</Dialog.Title>
            </Dialog.Header>
            <Dialog.Body>
              <PartBoundary>
                <FileLine upload={upload} />
                {hasFailed ? <Failed upload={upload} /> : <Sending upload={upload} />}
              </PartBoundary>
            </Dialog.Body>
            <Dialog.Footer>
              {hasFailed ? <Remedies upload={upload} /> : null}
              <Button variant="outline" onClick={close}>
                {hasFailed ? 'Close' : 'Cancel'}
              </Button>
            </Dialog.Footer>
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}

/** The uploaded file's name and size. */
export function FileLine({ upload }: { upload: UploadActor }) {
  const file = useSelector(upload, (snapshot) => snapshot.context.file);
  if (!file) return null;
  return (
    <Text fontSize="sm" color="fg.muted" mb="3" overflowWrap="anywhere">
      <bdi>{file.name}</bdi> <span>{`· ${formatBytes(file.size)}`}</span>
    </Text>
  );
}

function Sending({ upload }: { upload: UploadActor }) {
  const percent = useSelector(upload, (snapshot) => snapshot.context.percent);
  return (
    <Box>
      <Progress.Root value={percent} aria-label="Upload progress">
        <Progress.Track aria-label="Upload progress">
          <Progress.Range />
        </Progress.Track>
      </Progress.Root>
      <HStack justify="space-between" mt="2" fontSize="sm" color="fg.muted">
        <Text>{percent < 100 ? 'Sending…' : 'Waiting for the server…'}</Text>
        <Text fontVariantNumeric="tabular-nums">{`${percent} %`}</Text>
      </HStack>
    </Box>
  );
}

function Failed({ upload }: { upload: UploadActor }) {
  const failure = useSelector(upload, (snapshot) => snapshot.context.failure);
  return (
    <FailureAlert failure={failure}>
      <RefusalHelp limit={failure?.limit} />
    </FailureAlert>
  );
}

/** After a failure: another file, and the same again if that can succeed. */
export function Remedies({ upload }: { upload: UploadActor }) {
  const canRetry = useSelector(upload, (snapshot) => snapshot.can({ type: 'retry.requested' }));
  return (
    <>
      {canRetry ? <Button onClick={() => upload.send({ type: 'retry.requested' })}>Retry</Button> : null}
      <FilePicker
        id="another-upload"
        label="Choose another"
        onFile={(file) => upload.send({ type: 'file.chosen', file })}
      />
    </>
  );
}
