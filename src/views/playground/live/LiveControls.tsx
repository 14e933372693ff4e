import { Box, Button, Flex, HStack, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Play, Square } from 'lucide-react';
import { useMemo } from 'react';
import type { LiveSnapshot } from '#machines/playground/live/machine.ts';
import { runLabel } from '#machines/playground/live/select.ts';
import { obstacleTo } from '#machines/playground/live/setup.ts';
import { OBSTACLE_TEXTS } from '#machines/playground/settings/obstacles.ts';
import { watchPresence } from '../../../behaviours/watchPresence.ts';
import { formatClock } from '../transcript/details.ts';
import { ReachableButton } from '../../ui/ReachableButton.tsx';
import { CodeButton } from '../CodeButton.tsx';
import { CodeDialog } from '../CodeDialog.tsx';
import { USAGE_HINT_ID, UsageHint } from '../UsageHint.tsx';
import { useAnswering, useLive } from '../state.ts';
import { SourceChoice } from './SourceChoice.tsx';
import { SaveSession } from './SavingSession.tsx';
import { RunningCost, SessionFacts, SessionLevel } from './SessionFacts.tsx';

/** The id of Run, which is also Stop. */
export const RUN_ID = 'live-run';

const MS_PER_SECOND = 1000;

const isRefusedForMoney = ({ context: { error } }: LiveSnapshot) => error?.limit?.name === 'balance';

/** Audio source, session state, and Run/Stop, Finalize and Reset; visible even if the settings are collapsed. */
export function LiveControls() {
  const live = useLive();
  const watched = useMemo(
    () =>
      watchPresence('[data-ends-session]', (isPresent) =>
        live.send({ type: isPresent ? 'controls.restored' : 'controls.gone' }),
      ),
    [live],
  );
  const isTold = useSelector(live, isRefusedForMoney);
  return (
    <Box ref={watched} display="flex" flexDirection="column" gap="3">
      <SourceChoice />
      <Box>
        <Flex align="center" justify="space-between" gap="3">
          <SessionState />
          <SessionLevel />
          <RunningCost />
          <Timer />
        </Flex>
        <SessionFacts />
        <SaveSession />
      </Box>
      <UsageHint mode="real-time" isTold={isTold} />
      <LiveButtons />
      <Flex wrap="wrap" align="center" justify="space-between" gap="2">
        <Reasons />
        <CodeButton />
      </Flex>
      <CodeDialog of="live" />
    </Box>
  );
}

const WORDS = {
  stopped: { word: 'Stopped', colour: 'fg.subtle' },
  starting: { word: 'Starting…', colour: 'orange.solid' },
  running: { word: 'Running', colour: 'green.solid' },
  stopping: { word: 'Stopping…', colour: 'orange.solid' },
} as const;

function stateOf(snapshot: LiveSnapshot): keyof typeof WORDS {
  if (snapshot.hasTag('starting')) return 'starting';
  if (snapshot.hasTag('running')) return 'running';
  return snapshot.hasTag('stopping') ? 'stopping' : 'stopped';
}

/** The session's state as one word (LIV-01). */
function SessionState() {
  const live = useLive();
  const { word, colour } = WORDS[useSelector(live, stateOf)];
  return (
    <HStack as="output" gap="2" fontSize="sm" fontWeight="medium">
      <Box boxSize="2.5" borderRadius="full" bg={colour} aria-hidden />
      <span>{word}</span>
    </HStack>
  );
}

/** Whole seconds of the session (LIV-20). One that has ended tells its length below. */
function Timer() {
  const live = useLive();
  const isSummedUp = useSelector(live, (snapshot) => snapshot.hasTag('stopped') && snapshot.context.tally.soundMs > 0);
  const seconds = useSelector(live, ({ context }) => context.elapsedSeconds);
  if (isSummedUp) return null;
  return (
    <Text role="timer" aria-label="Elapsed time" fontSize="sm" color="fg.muted" fontVariantNumeric="tabular-nums">
      {formatClock(seconds * MS_PER_SECOND)}
    </Text>
  );
}

/** Disabled buttons keep the focus; the text below says what they wait for. */
export function LiveButtons() {
  return (
    <HStack wrap="wrap" gap="2">
      <RunButton />
      <FinalizeButton />
      <ResetButton />
    </HStack>
  );
}

function RunButton() {
  const live = useLive();
  const label = useSelector(live, runLabel);
  const canRun = useSelector(live, (snapshot) => snapshot.can({ type: 'run.requested' }));
  const canStop = useSelector(live, (snapshot) => snapshot.can({ type: 'stop.requested' }));
  const state = useSelector(live, stateOf);
  const isHinted = useSelector(live, (snapshot) => snapshot.context.isExhausted && !isRefusedForMoney(snapshot));
  const isOn = state === 'running' || state === 'stopping';
  // While it starts, pressing the button again does nothing: Cancel ends that.
  const isEndable = canStop && state === 'running';
  return (
    <ReachableButton
      id={RUN_ID}
      flex="1"
      colorPalette={isOn ? 'red' : 'brand'}
      _icon={{ boxSize: '3.5' }}
      // The recipe's hover colour is too pale for white text.
      {...(isEndable ? { _hover: { bg: 'red.700' } } : {})}
      can={canRun || isEndable}
      busy={state === 'starting' || state === 'stopping'}
      aria-describedby={isHinted ? `live-reasons ${USAGE_HINT_ID}` : 'live-reasons'}
      data-ends-session=""
      onClick={() => live.send({ type: isEndable ? 'stop.requested' : 'run.requested' })}
    >
      {isOn ? <Square size={14} fill="currentColor" aria-hidden /> : <Play size={14} fill="currentColor" aria-hidden />}
      <span>{label}</span>
    </ReachableButton>
  );
}

function FinalizeButton() {
  const live = useLive();
  const canFinalize = useSelector(live, (snapshot) => snapshot.can({ type: 'finalize.requested' }));
  const isFinalizing = useSelector(live, (snapshot) => snapshot.hasTag('finalizing'));
  return (
    <ReachableButton
      variant="outline"
      can={canFinalize}
      busy={isFinalizing}
      aria-describedby="live-reasons"
      onClick={() => live.send({ type: 'finalize.requested' })}
    >
      Finalize
    </ReachableButton>
  );
}

function ResetButton() {
  const live = useLive();
  const canReset = useSelector(live, (snapshot) => snapshot.can({ type: 'reset.requested' }));
  return (
    <ReachableButton
      variant="outline"
      can={canReset}
      aria-describedby="live-reasons"
      onClick={() => live.send({ type: 'reset.requested' })}
    >
      Reset
    </ReachableButton>
  );
}

/** Read with Finalize; nobody who sees the buttons needs it. */
const AT_REST = 'Finalize is available during a session.';

/** What the buttons wait for. Describes them; not announced, as the session's state is. */
function Reasons() {
  const live = useLive();
  const isUnanswered = useAnswering() === 'silent';
  const text = useSelector(live, (snapshot) => reasonOf(snapshot, isUnanswered));
  return (
    <Flex align="baseline" gap="2" minHeight="4">
      <Text id="live-reasons" fontSize="xs" color="fg.muted" srOnly={text === AT_REST}>
        {text}
      </Text>
      <CancelButton />
    </Flex>
  );
}

/** Ends a start, or stops without waiting for a slow server's last words. */
function CancelButton() {
  const live = useLive();
  const state = useSelector(live, stateOf);
  const type = state === 'starting' ? 'stop.requested' : 'cancel.requested';
  const isWaiting = state === 'starting' || state === 'stopping';
  const can = useSelector(live, (snapshot) => snapshot.can({ type }));
  if (!isWaiting || !can) return null;
  return (
    <Button variant="plain" size="2xs" height="auto" px="0" onClick={() => live.send({ type })}>
      Cancel
    </Button>
  );
}

/** Why no session can start. */
function startProblemOf(snapshot: LiveSnapshot): string {
  if (snapshot.hasTag('taken')) return 'Part of the page could not be shown. Open it again first.';
  const isFile = snapshot.context.source === 'file';
  if (isFile && snapshot.hasTag('fileLoading')) return 'Loading the file…';
  if (isFile && snapshot.hasTag('fileFailed')) return 'Choose a file that can be played.';
  if (isFile && snapshot.context.file === null) return 'Choose a file first.';
  const obstacle = obstacleTo(snapshot.context);
  return obstacle ? OBSTACLE_TEXTS[obstacle] : '';
}

function reasonOf(snapshot: LiveSnapshot, isUnanswered: boolean): string {
  if (snapshot.hasTag('stopping'))
    return isUnanswered ? 'Ends within about a minute, with what was heard.' : 'Waiting for the last words.';
  if (snapshot.hasTag('starting')) return 'Waiting for the sound and the server.';
  if (snapshot.hasTag('finalizing')) return 'Finalizing what has been said so far.';
  if (snapshot.hasTag('running'))
    return snapshot.can({ type: 'finalize.requested' })
      ? 'Stop first to reset.'
      : 'Finalize is available once something is transcribed.';
  if (!snapshot.can({ type: 'run.requested' })) return startProblemOf(snapshot);
  return AT_REST;
}
