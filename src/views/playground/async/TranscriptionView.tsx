import { Box, Button, Flex, Heading, HStack, Progress as ProgressBar, Spinner, Stack, Text } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import { type ReactNode, useCallback, useMemo } from 'react';
import { recordOf } from '#machines/playground/transcript/record.ts';
import type { TranscriptionSnapshot } from '#machines/playground/transcription/machine.ts';
import {
  CANCELLED,
  failureText,
  hasText,
  NO_TEXT,
  NOT_CANCELLED,
  notesOf,
  progressOf,
  statusText,
} from '#machines/playground/transcription/texts.ts';
import { SearchButton } from '../../transcript/SearchButton.tsx';
import { ExportBar } from '../../transcript/ExportBar.tsx';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { Named } from '../../ui/Named.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { ReachableButton } from '../../ui/ReachableButton.tsx';
import { RetryButton } from '../../ui/RetryButton.tsx';
import { ShownTranscript } from '../ShownTranscript.tsx';
import { factsOf, StateBadge } from './facts.tsx';
import { ResponseTabs } from './ResponseTabs.tsx';
import { useExporter, usePlayerIfAny, useTranscription } from '../state.ts';

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

type Stage = ReturnType<typeof stageOf>;

const STATUS_ID = 'transcription-status';
/** The stages that show a status line. */
const WITH_STATUS: ReadonlySet<Stage> = new Set<Stage>(['creating', 'polling', 'fetching', 'cancelled']);

function Shown({ stage }: { stage: Exclude<Stage, 'refused'> }) {
  switch (stage) {
    case 'creating':
      return <Waiting>Starting the transcription…</Waiting>;
    case 'polling':
      return <Progress />;
    case 'fetching':
      return <Waiting>Loading the transcript…</Waiting>;
    case 'cancelled':
      return <Cancelled />;
    case 'failed':
      return <Failed />;
    case 'completed':
      return <Completed />;
  }
}

function stageOf(snapshot: TranscriptionSnapshot) {
  if (snapshot.hasTag('refused')) return 'refused';
  if (snapshot.hasTag('creating')) return 'creating';
  if (snapshot.hasTag('polling')) return 'polling';
  if (snapshot.hasTag('cancelled')) return 'cancelled';
  if (snapshot.hasTag('failed')) return 'failed';
  return snapshot.hasTag('completed') ? 'completed' : 'fetching';
}

function Waiting({ children }: { children: ReactNode }) {
  return (
    <Panel>
      <StatusLine>{children}</StatusLine>
    </Panel>
  );
}

function StatusLine({ children }: { children: ReactNode }) {
  return (
    // Not an `output`: by the HTML accessibility mapping, its text cannot be a description.
    <HStack role="status" id={STATUS_ID} gap="3" color="fg.muted">
      <Spinner size="sm" color="brand.fg" aria-hidden />
      <Text overflowWrap="anywhere">{children}</Text>
    </HStack>
  );
}

function Progress() {
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

/** State, facts and notes of a completed transcription; visible even if the history is collapsed (UXP-67). */
function Facts() {
  const item = useSelector(useTranscription(), ({ context }) => context.transcription);
  if (!item) return null;
  return (
    <Stack gap="1" mb="2" fontSize="xs" color="fg.muted">
      <HStack wrap="wrap" gap="2" fontVariantNumeric="tabular-nums">
        <StateBadge item={item} />
        <Text overflowWrap="anywhere">{factsOf(item)}</Text>
      </HStack>
      {notesOf(item).map(({ text, isLeftOut }) => (
        <Text key={text} {...(isLeftOut ? { color: 'fg', fontWeight: 'medium' } : {})}>
          {text}
        </Text>
      ))}
    </Stack>
  );
}

function Completed() {
  const transcription = useTranscription();
  const player = usePlayerIfAny();
  const transcript = useSelector(transcription, ({ context }) => context.transcript);
  const name = useSelector(transcription, ({ context }) => context.transcription?.filename ?? 'transcript');
  const isReadable = useSelector(transcription, ({ context }) => hasText(context));
  // Only the transcript tab has a search, the export formats don't.
  const isTranscriptTab = useSelector(useExporter(), ({ context }) => context.format === 'txt');
  const record = useMemo(() => recordOf(transcript?.tokens ?? []), [transcript]);
  const read = useCallback(() => record, [record]);
  return (
    <Panel
      as="section"
      aria-labelledby="transcript-heading"
      display="flex"
      flexDirection="column"
      minHeight="0"
      maxHeight="max(420px, calc(100dvh - 240px))"
    >
      <Flex wrap="wrap" align="center" justify="space-between" gap="2" mb="2">
        <Flex align="center" justify="space-between" gap="2" flexGrow={{ base: 1, sm: 0 }}>
          <Heading as="h2" id="transcript-heading" size="md">
            Transcript
          </Heading>
          {isReadable && isTranscriptTab && <SearchButton />}
        </Flex>
        {isReadable && (
          <ExportBar
            read={read}
            hasSides={record.hasTranslations}
            hasSpeakers={record.hasSpeakers}
            hasTabs
            name={name}
          />
        )}
      </Flex>
      <Facts />
      {isReadable ? (
        <ResponseTabs record={record}>
          <ShownTranscript record={record} read={read} label="Transcript text" player={player} />
        </ResponseTabs>
      ) : (
        <Text color="fg.muted" mt="3">
          {NO_TEXT}
        </Text>
      )}
    </Panel>
  );
}
