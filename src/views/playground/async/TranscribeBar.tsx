import { Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { SnapshotFrom } from 'xstate';
import type { AsyncActor } from '#machines/playground/async/machine.ts';
import { asyncModel, obstacleTo } from '#machines/playground/async/context.ts';
import { estimateOf } from '#machines/playground/cost.ts';
import { failedOf } from '#machines/playground/transcription/texts.ts';
import { OBSTACLE_TEXTS } from '#machines/playground/settings/obstacles.ts';
import { formatAudio, formatEstimate } from '../../ui/figures.ts';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { SubmitButton } from '../../ui/SubmitButton.tsx';
import { useSettings } from '../../ui/state.ts';
import { CodeButton } from '../CodeButton.tsx';
import { CodeDialog } from '../CodeDialog.tsx';
import { USAGE_HINT_ID, UsageHint } from '../UsageHint.tsx';
import { RefusalHelp } from '../RefusalHelp.tsx';
import { useContextProblem, useRefusal } from './refusal.ts';
import { useAsyncSide, usePlayerIfAny, useTranscriptionIfAny } from '../state.ts';

/** The button that starts a transcription, and why it cannot or why the server refused (ASY-14). */
export function TranscribeBar() {
  const asyncSide = useAsyncSide();
  const isCreating = useSelector(asyncSide, (snapshot) => snapshot.hasTag('creating'));
  const canTranscribe = useSelector(asyncSide, (snapshot) => snapshot.can({ type: 'transcribe.requested' }));
  const obstruction = useSelector(asyncSide, obstructionOf);
  const hasModel = useSelector(asyncSide, ({ context }) => asyncModel(context) !== null);
  const isExhausted = useSelector(asyncSide, ({ context }) => context.isExhausted);
  const isTold = useRefusal(asyncSide)?.limit?.name === 'balance';
  const reason = isCreating || canTranscribe ? null : obstruction;
  const estimate = useEstimate();
  // After a completed or failed transcription, starting the same once more is not the main action.
  const isDone = useSelector(
    useTranscriptionIfAny(),
    (snapshot) => snapshot !== undefined && (snapshot.hasTag('completed') || failedOf(snapshot.context) !== null),
  );
  return (
    <div className="start">
      <CreateFailure />
      <UsageHint mode="async" isTold={isTold} />
      <div className="start-row">
        {/* Above the buttons: the bar is aligned to the bottom, so they stay in place (UXP-50). */}
        <div id="transcribe-reason" aria-live="polite">
          {reason || estimate ? <p className="note">{reason ?? estimate}</p> : null}
        </div>
        <div className="start-buttons">
          <SubmitButton
            type="button"
            flex="1"
            variant={isDone ? 'outline' : 'solid'}
            busy={isCreating}
            busyLabel="Transcribing…"
            // Not `disabled`: the button keeps the focus, and screen readers can read what it waits for.
            aria-disabled={!canTranscribe}
            onClick={() => asyncSide.send({ type: 'transcribe.requested' })}
            aria-describedby={isExhausted && !isTold ? `transcribe-reason ${USAGE_HINT_ID}` : 'transcribe-reason'}
          >
            Transcribe file
          </SubmitButton>
          {hasModel && <CodeButton />}
        </div>
      </div>
      <CodeDialog of="file" />
    </div>
  );
}

/** The estimated cost as a sentence; null if the duration is unknown or the server has no prices (EST-01). */
function useEstimate(): string | null {
  const { prices } = useSettings();
  const model = useSelector(useAsyncSide(), ({ context }) => asyncModel(context));
  const durationMs = useSelector(usePlayerIfAny(), (snapshot) => snapshot?.context.durationMs ?? 0);
  const micros = estimateOf(prices, model, durationMs);
  return micros === null ? null : `About ${formatEstimate(micros)} for ${formatAudio(durationMs)} of audio.`;
}

/** What the button waits for, as a sentence. */
function obstructionOf(snapshot: SnapshotFrom<AsyncActor>): string {
  if (asyncModel(snapshot.context) === null) return 'There is no model to transcribe with.';
  if (snapshot.hasTag('fileLoading')) return 'Loading the file…';
  if (snapshot.hasTag('fileUnreadable')) return "This file can't be transcribed. Choose another.";
  if (snapshot.hasTag('fileFailed') && !snapshot.hasTag('fileUnplayable'))
    return 'Load the file again, or choose another.';
  if (snapshot.context.file === null) return 'Choose a file first.';
  if (snapshot.hasTag('transcribing'))
    return 'This file is being transcribed. Wait for the result, or cancel it first.';
  const obstacle = obstacleTo(snapshot.context);
  return obstacle ? OBSTACLE_TEXTS[obstacle] : '';
}

function CreateFailure() {
  const asyncSide = useAsyncSide();
  const failure = useRefusal(asyncSide);
  const contextProblem = useContextProblem(asyncSide);
  return (
    <FailureAlert failure={failure}>
      <RefusalHelp limit={failure?.limit} />
      {contextProblem !== null && contextProblem !== failure?.message ? (
        <Text overflowWrap="anywhere">{contextProblem}</Text>
      ) : null}
    </FailureAlert>
  );
}
