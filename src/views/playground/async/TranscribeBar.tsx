import { Box, Stack, Text } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import type { SnapshotFrom } from 'xstate';
import type { PlaygroundActor } from '#machines/playground/machine.ts';
import { asyncModel, obstacleTo } from '#machines/playground/context.ts';
import { OBSTACLE_TEXTS } from '#machines/playground/settings/obstacles.ts';
import { buildCreatePayload } from '#machines/playground/settings/payload.ts';
import { FILE_ID } from '#machines/playground/snippets/rest.ts';
import { keyVariableOf, restSnippets } from '#machines/playground/snippets/snippets.ts';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { useSettings } from '../../ui/state.ts';
import { SubmitButton } from '../../ui/SubmitButton.tsx';
import { CodePanel } from '../CodePanel.tsx';
import { useContextProblem, useRefusal } from './refusal.ts';
import { usePlayground } from '../state.ts';

/** The button that starts a transcription, why it can't, and why the server refused (ASY-14). */
export function TranscribeBar() {
  const playground = usePlayground();
  const isCreating = useSelector(playground, (snapshot) => snapshot.hasTag('creating'));
  const canTranscribe = useSelector(playground, (snapshot) => snapshot.can({ type: 'transcribe.requested' }));
  const why = useSelector(playground, reasonOf);
  const reason = isCreating || canTranscribe ? null : why;
  return (
    <Stack gap="2">
      <CreateFailure />
      {/* Above the button, which stays where it is, since the bar stands on its foot (UXP-50). */}
      <Box id="transcribe-reason" aria-live="polite">
        {reason && (
          <Text fontSize="xs" color="fg.muted" textAlign="center">
            {reason}
          </Text>
        )}
      </Box>
      <SubmitButton
        type="button"
        width="full"
        busy={isCreating}
        busyLabel="Transcribing…"
        // Not `disabled`: it keeps the focus, and can be asked what it waits for.
        aria-disabled={!canTranscribe}
        onClick={() => playground.send({ type: 'transcribe.requested' })}
        {...(reason ? { 'aria-describedby': 'transcribe-reason' } : {})}
      >
        Transcribe file
      </SubmitButton>
      <Code />
    </Stack>
  );
}

/** What the button waits for. */
function reasonOf(snapshot: SnapshotFrom<PlaygroundActor>): string {
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

function Code() {
  const playground = usePlayground();
  const codePanel = useSelector(playground, (snapshot) => snapshot.children.codePanel);
  const keyVariable = keyVariableOf(useSettings().product);
  const model = useSelector(playground, ({ context }) => asyncModel(context));
  const { settings, addresses, filename } = useSelector(
    playground,
    ({ context }) => ({
      settings: context.settings,
      addresses: context.addresses,
      filename: context.file?.file.filename ?? 'recording.mp3',
    }),
    shallowEqual,
  );
  if (!codePanel || !model) return null;
  const write = () =>
    restSnippets({
      baseUrl: addresses.speech,
      keyVariable,
      filename,
      payload: buildCreatePayload(settings, model, FILE_ID),
    });
  return <CodePanel codePanel={codePanel} keyVariable={keyVariable} write={write} />;
}

function CreateFailure() {
  const playground = usePlayground();
  const failure = useRefusal(playground);
  const contextProblem = useContextProblem(playground);
  return (
    <FailureAlert failure={failure}>
      {contextProblem !== null && contextProblem !== failure?.message ? (
        <Text overflowWrap="anywhere">{contextProblem}</Text>
      ) : null}
    </FailureAlert>
  );
}
