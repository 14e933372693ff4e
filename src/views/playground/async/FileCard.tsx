import { Box, Button, Flex, HStack, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { FileAudio, X } from 'lucide-react';
import { FILE_FAILED, FILE_UNPLAYABLE, FILE_UNREADABLE } from '#machines/playground/async/machine.ts';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { FilePicker } from '../fields/FilePicker.tsx';
import { formatBytes } from '../../ui/format.ts';
import { Player } from './Player.tsx';
import { useAsyncSide, usePlayerIfAny, useUpload } from '../state.ts';
import { Waiting } from '../../ui/Waiting.tsx';
import { FILE_CARD_ID, PICKER_ID } from './ids.ts';

/** The opened file with its player (ASY-18). Renders nothing without a file. */
export function FileCard() {
  const asyncSide = useAsyncSide();
  const hasFile = useSelector(
    asyncSide,
    (snapshot) => snapshot.context.file !== null || snapshot.hasTag('fileLoading') || snapshot.hasTag('fileFailed'),
  );
  if (!hasFile) return null;
  return (
    // This box stays while its contents come and go, so it can take over their focus.
    <Box id={FILE_CARD_ID} role="group" aria-label="File" data-keeps-focus tabIndex={-1} outline="none" minWidth="0">
      <Card />
    </Box>
  );
}

function Card() {
  const asyncSide = useAsyncSide();
  const file = useSelector(asyncSide, (snapshot) => snapshot.context.file);
  const hasPlayer = usePlayerIfAny() !== undefined;
  const isLoading = useSelector(asyncSide, (snapshot) => snapshot.hasTag('fileLoading'));
  const hasFailed = useSelector(asyncSide, (snapshot) => snapshot.hasTag('fileFailed'));
  if (isLoading) return <Waiting height="116px" label="Loading the file" />;
  if (!file) return hasFailed ? <FileFailure canRemove /> : null;
  return (
    <Panel p="4">
      <Flex align="center" gap="3" mb="3">
        <Box color="brand.fg" flexShrink="0" aria-hidden>
          <FileAudio size={20} />
        </Box>
        <Box minWidth="0" flex="1">
          <Text fontWeight="medium" truncate title={file.filename}>
            <bdi>{file.filename}</bdi>
          </Text>
          <Text fontSize="xs" color="fg.muted">
            {formatBytes(file.size)}
          </Text>
        </Box>
        <RemoveButton variant="ghost" />
      </Flex>
      {hasFailed && <FileFailure />}
      {hasPlayer && <Player filename={file.filename} />}
    </Panel>
  );
}

/** What failed, and what to do. @param canRemove whether to offer Remove; the card of a known file has its own */
function FileFailure({ canRemove = false }: { canRemove?: boolean }) {
  const asyncSide = useAsyncSide();
  const upload = useUpload();
  const failure = useSelector(asyncSide, (snapshot) => snapshot.context.fileFailure);
  const isUnreadable = useSelector(asyncSide, (snapshot) => snapshot.hasTag('fileUnreadable'));
  const isUnplayable = useSelector(asyncSide, (snapshot) => snapshot.hasTag('fileUnplayable'));
  const help = isUnreadable ? FILE_UNREADABLE : isUnplayable ? FILE_UNPLAYABLE : null;
  return (
    <FailureAlert failure={{ ...failure, message: FILE_FAILED }}>
      {help && <Text mb="3">{help}</Text>}
      <HStack gap="2" wrap="wrap">
        {isUnreadable && (
          <FilePicker
            id="another-file"
            label="Choose another"
            onFile={(file) => upload.send({ type: 'file.chosen', file })}
          />
        )}
        <Button size="sm" variant="outline" onClick={() => asyncSide.send({ type: 'reload.requested' })}>
          Reload
        </Button>
        {canRemove && <RemoveButton variant="outline" />}
      </HStack>
    </FailureAlert>
  );
}

/** Closes the file and returns to the choice of one (ASY-05). */
function RemoveButton({ variant }: { variant: 'ghost' | 'outline' }) {
  const asyncSide = useAsyncSide();
  return (
    <Button
      size="sm"
      variant={variant}
      data-next={PICKER_ID}
      onClick={() => asyncSide.send({ type: 'file.removed.requested' })}
    >
      <X size={15} aria-hidden /> Remove
    </Button>
  );
}
