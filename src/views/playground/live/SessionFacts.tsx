import { Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { costSoFar } from '#machines/playground/cost.ts';
import type { InputLevelActor } from '#machines/playground/live/inputLevel/machine.ts';
import type { Tally } from '#machines/playground/live/tally.ts';
import type { Answering } from '#machines/playground/stream/socket/select.ts';
import { formatClock } from '../transcript/details.ts';
import { formatCount, formatRunning, formatUsd } from '../../ui/figures.ts';
import { useSettings } from '../../ui/state.ts';
import { useAnswering, useLive } from '../state.ts';
import { LevelBar } from './LevelBar.tsx';

/** The level of the audio that a running session sends (LVP-01). */
export function SessionLevel() {
  const inputLevel = useSelector(useLive(), (snapshot) => snapshot.children.inputLevel);
  return inputLevel ? <Level inputLevel={inputLevel} /> : null;
}

function Level({ inputLevel }: { inputLevel: InputLevelActor }) {
  return <LevelBar level={useSelector(inputLevel, ({ context }) => context.level)} />;
}

/** The cost of the running session so far; only on a server with prices (EST-02). */
export function RunningCost() {
  const { prices } = useSettings();
  const micros = useSelector(useLive(), (snapshot) =>
    snapshot.hasTag('stopped') || snapshot.context.tally.soundMs === 0 ? null : costSoFar(prices, snapshot.context),
  );
  if (micros === null) return null;
  return (
    // Outside the live regions: screen readers should not announce it every second.
    <Text fontSize="sm" color="fg.muted" fontVariantNumeric="tabular-nums" title="Cost so far">
      <Text as="span" srOnly>
        Cost so far:{' '}
      </Text>
      <span>{formatRunning(micros)}</span>
    </Text>
  );
}

/** What is wrong with the session. A server that has heard no sound has nothing to answer. */
function problemOf(answering: Answering, isSoundless: boolean): string | null {
  if (answering === 'silent') return 'The server isn’t answering. Check your connection.';
  if (isSoundless) return 'We can’t hear you. Check your microphone.';
  return answering === 'awaited' ? 'Waiting for the server…' : null;
}

/** Says that the server does not answer, or that a running session hears nothing, or sums up an ended session. */
export function SessionFacts() {
  const live = useLive();
  const inputLevel = useSelector(live, (snapshot) => snapshot.children.inputLevel);
  const isSilent = useSelector(inputLevel, (snapshot) => snapshot?.hasTag('silent') ?? false);
  const problem = problemOf(useAnswering(), isSilent);
  const isStopped = useSelector(live, (snapshot) => snapshot.hasTag('stopped'));
  const tally = useSelector(live, ({ context }) => context.tally);
  const facts = isStopped ? factsOf(tally) : null;
  return (
    // The live region exists before its text, so that screen readers announce the text.
    <Text as="output" aria-label="Session" display="block" fontSize="xs" fontVariantNumeric="tabular-nums">
      {problem === null ? (
        facts
      ) : (
        <Text as="span" color="orange.fg">
          {problem}
        </Text>
      )}
    </Text>
  );
}

/** Leaves out what is unknown: a session without words has no first word. */
function factsOf({ soundMs, unsentMs, words, costUsd, firstWordMs }: Tally): string | null {
  if (unsentMs > 0) return `Not connected yet: ${formatSeconds(unsentMs)} of sound was not transcribed.`;
  if (soundMs === 0) return null;
  return [
    formatClock(soundMs),
    `${formatCount(words)} ${words === 1 ? 'word' : 'words'}`,
    ...(costUsd === null ? [] : [formatUsd(costUsd)]),
    ...(firstWordMs === null ? [] : [`first word ${formatSeconds(firstWordMs)}`]),
  ].join(' · ');
}

const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)}\u00a0s`;
