import { Box, Button, HStack, Progress as ProgressBar, Text } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import { NOT_CANCELLED, progressOf, statusText } from '#machines/playground/transcription/texts.ts';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { Named } from '../../ui/Named.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { ReachableButton } from '../../ui/ReachableButton.tsx';
import { useTranscription } from '../state.ts';
import { StatusLine } from './TranscriptionStatus.tsx';

/** A transcription that waits or runs: its status, its progress, and Cancel. */
export function TranscriptionProgress() {
  const transcription = useTranscription();
  const text = useSelector(transcription, ({ context }) => statusText(context));
  const filename = useSelector(transcription, ({ context }) => context.transcription?.filename);
  const isUnreachable = useSelector(transcription, (snapshot) => snapshot.hasTag('unreachable'));
  const failure = useSelector(transcription, ({ context }) => context.failure);
  const refusal = useSelector(transcription, ({ context }) => context.refusal);
  return (
    <>
      <Panel>
        <StatusLine>
          <Named text={text ?? 'Loading the transcription…'} name={filename} />
        </StatusLine>
        <ServerProgress />
        {text !== null && <CancelButton />}
      </Panel>
      <Box mt="4" _empty={{ display: 'none' }}>
        <FailureAlert failure={refusal} title={NOT_CANCELLED} />
      </Box>
      {isUnreachable && (
        <Box mt="4">
          <FailureAlert
            failure={failure}
            title={
              failure?.kind === 'FETCH_ERROR'
                ? 'The server cannot be reached. Trying again soon.'
                : 'The state of the transcription could not be read. Trying again soon.'
            }
          >
            <Button size="sm" variant="outline" onClick={() => transcription.send({ type: 'retry.requested' })}>
              Retry now
            </Button>
          </FailureAlert>
        </Box>
      )}
    </>
  );
}

/** The progress that the server reports. Outside the live region: screen readers need not announce every step. */
function ServerProgress() {
  const transcription = useTranscription();
  const progress = useSelector(
    transcription,
    ({ context }) => context.transcription && progressOf(context.transcription),
    shallowEqual,
  );
  if (!progress) return null;
  const { percent, words } = progress;
  return (
    <Box mt="3">
      {percent !== null && (
        <ProgressBar.Root size="sm" value={percent} translations={{ value: () => `${percent} %, ${words}` }}>
          <ProgressBar.Track aria-label="Progress of the transcription">
            <ProgressBar.Range />
          </ProgressBar.Track>
        </ProgressBar.Root>
      )}
      <HStack justify="space-between" mt="2" fontSize="sm" color="fg.muted" fontVariantNumeric="tabular-nums">
        <Text>{words}</Text>
        {percent !== null && <Text>{`${percent} %`}</Text>}
      </HStack>
    </Box>
  );
}

function CancelButton() {
  const transcription = useTranscription();
  const isCancelling = useSelector(transcription, (snapshot) => snapshot.hasTag('cancelling'));
  const canCancel = useSelector(transcription, (snapshot) => snapshot.can({ type: 'cancel.requested' }));
  return (
    <ReachableButton
      size="sm"
      variant="outline"
      mt="3"
      can={canCancel}
      busy={isCancelling}
      onClick={() => transcription.send({ type: 'cancel.requested' })}
    >
      {isCancelling ? 'Cancelling…' : 'Cancel transcription'}
    </ReachableButton>
  );
}
