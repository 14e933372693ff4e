import { Box, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { TranscriptionSnapshot } from '#machines/playground/transcription/machine.ts';
import { CANCELLED, failureText } from '#machines/playground/transcription/texts.ts';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { RetryButton } from '../../ui/RetryButton.tsx';
import { useTranscription } from '../state.ts';
import { CompletedTranscription } from './CompletedTranscription.tsx';
import { TranscriptionProgress } from './TranscriptionProgress.tsx';
import { STATUS_ID, Waiting } from './TranscriptionStatus.tsx';

type Stage = 'refused' | 'creating' | 'polling' | 'fetching' | 'cancelled' | 'failed' | 'completed';

/** The stages that show a status line. */
const WITH_STATUS: ReadonlySet<Stage> = new Set<Stage>(['creating', 'polling', 'fetching', 'cancelled']);

/** Stages that have a tag of their name. */
const TAGGED = ['refused', 'creating', 'polling', 'cancelled', 'failed', 'completed'] as const satisfies Stage[];

const stageOf = (snapshot: TranscriptionSnapshot): Stage =>
  TAGGED.find((stage) => snapshot.hasTag(stage)) ?? 'fetching';

/** The opened transcription: its progress, what failed, or its text. */
export function TranscriptionView() {
  const stage = useSelector(useTranscription(), stageOf);
  if (stage === 'refused') return null;
  return (
    // This box stays while the buttons of the stages come and go, so it can take over their focus.
    <Box
      role="group"
      aria-label="Transcription"
      data-keeps-focus
      tabIndex={-1}
      outline="none"
      minWidth="0"
      {...(WITH_STATUS.has(stage) ? { 'aria-describedby': STATUS_ID } : {})}
    >
      <Shown stage={stage} />
    </Box>
  );
}

function Shown({ stage }: { stage: Exclude<Stage, 'refused'> }) {
  switch (stage) {
    case 'creating':
      return <Waiting>Starting the transcription…</Waiting>;
    case 'polling':
      return <TranscriptionProgress />;
    case 'fetching':
      return <Waiting>Loading the transcript…</Waiting>;
    case 'cancelled':
      return <Cancelled />;
    case 'failed':
      return <Failed />;
    case 'completed':
      return <CompletedTranscription />;
  }
}

/** A status and no alert: somebody asked for it. */
function Cancelled() {
  return (
    <Panel>
      <Text role="status" id={STATUS_ID} color="fg.muted">
        {CANCELLED}
      </Text>
    </Panel>
  );
}

function Failed() {
  const transcription = useTranscription();
  const text = useSelector(transcription, ({ context }) => failureText(context));
  const failure = useSelector(transcription, ({ context }) => context.failure);
  const canRetry = useSelector(transcription, (snapshot) => snapshot.can({ type: 'retry.requested' }));
  return (
    <FailureAlert failure={{ ...failure, message: text }}>
      {canRetry && <RetryButton actor={transcription} />}
    </FailureAlert>
  );
}
