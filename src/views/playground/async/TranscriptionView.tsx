import { Box, Button, Flex, Text, VisuallyHidden } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { Transcription } from '#contract/transcriptions.ts';
import type { TranscriptionSnapshot } from '#machines/playground/transcription/machine.ts';
import { helpAfter } from '#machines/playground/transcription/help.ts';
import { leavesOutText } from '#machines/playground/settings/reuse.ts';
import { CANCELLED, completionText, failedOf, failureText } from '#machines/playground/transcription/texts.ts';
import { ErrorLink } from '../../ui/ErrorLink.tsx';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { RetryButton } from '../../ui/RetryButton.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { useMayOpen } from '../../ui/rights.ts';
import { FilePicker } from '../fields/FilePicker.tsx';
import { RefusalHelp } from '../RefusalHelp.tsx';
import { useAsyncSide, usePlayground, useTranscription } from '../state.ts';
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
      <Completion />
    </Box>
  );
}

/** Announces the end. It is there before its text, and takes no part in the order of the page. */
function Completion() {
  const text = useSelector(useTranscription(), ({ context }) => completionText(context));
  return <VisuallyHidden role="status">{text}</VisuallyHidden>;
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
  const failed = useSelector(transcription, ({ context }) => failedOf(context));
  const canRetry = useSelector(transcription, (snapshot) => snapshot.can({ type: 'retry.requested' }));
  return (
    <FailureAlert failure={{ ...failure, message: text }} {...(failed?.error_type ? { title: failed.error_type } : {})}>
      {canRetry && <RetryButton actor={transcription} />}
      {failed ? <Cause failed={failed} /> : null}
    </FailureAlert>
  );
}

/** What helps after a transcription failed on the server, its explanation, and its log. */
function Cause({ failed }: { failed: Transcription }) {
  const mayOpenLogs = useMayOpen('logs');
  const { orgUuid, projectUuid } = usePlayground().getSnapshot().context;
  return (
    <Flex wrap="wrap" align="center" gap="4">
      <Help failed={failed} />
      {failed.error_type === null ? null : <ErrorLink type={failed.error_type} />}
      {mayOpenLogs ? (
        <TextLink to={{ screen: 'logs', orgUuid, projectUuid, log: failed.id }} color="inherit">
          Open in the logs
        </TextLink>
      ) : null}
    </Flex>
  );
}

const Note = ({ id, children }: { id: string; children: string }) => (
  <Text id={id} flexBasis="full">
    {children}
  </Text>
);

function Help({ failed }: { failed: Transcription }) {
  const asyncSide = useAsyncSide();
  const { orgUuid, projectUuid } = usePlayground().getSnapshot().context;
  const repeat = { type: 'request.repeated', transcription: failed } as const;
  const canRepeat = useSelector(asyncSide, (snapshot) => snapshot.can(repeat));
  // Its own recording may be gone; any will do.
  const withOther = { ...repeat, transcription: { ...failed, file_id: failed.file_id ?? failed.id } };
  const canReplace = useSelector(asyncSide, (snapshot) => snapshot.can(withOther));
  const help = helpAfter(failed);
  const left = leavesOutText(failed);
  switch (help?.by) {
    case 'limit':
      return <RefusalHelp limit={help.limit} />;
    case 'otherFile':
      return canReplace ? (
        <>
          <FilePicker
            id="another-recording"
            label="Transcribe another file"
            describedBy="another-recording-note"
            onFile={(file) => asyncSide.send({ type: 'recording.replaced', file, transcription: failed })}
          />
          <Note id="another-recording-note">
            {['It is transcribed at once, with the same settings.', left].filter(Boolean).join(' ')}
          </Note>
        </>
      ) : (
        <TextLink to={{ screen: 'playground', orgUuid, projectUuid, mode: 'async' }} color="inherit">
          Choose another file
        </TextLink>
      );
    case 'repeating':
      return canRepeat ? (
        <>
          <Button
            size="sm"
            variant="outline"
            {...(left ? { 'aria-describedby': 'repeating-note' } : {})}
            onClick={() => asyncSide.send(repeat)}
          >
            Try again
          </Button>
          {left ? <Note id="repeating-note">{left}</Note> : null}
        </>
      ) : null;
    case 'settings':
      return (
        <Button
          size="sm"
          variant="outline"
          onClick={() => asyncSide.send({ type: 'request.reused', transcription: failed })}
        >
          Correct the settings
        </Button>
      );
    case undefined:
      return null;
  }
}
