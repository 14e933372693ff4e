import { Box, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { type ReactNode, useMemo } from 'react';
import { asyncModel } from '#machines/playground/async/context.ts';
import { settingsOf } from '#machines/playground/transcription/settingsOf.ts';
import { playerKeys } from '../../../behaviours/playerKeys.ts';
import { showOpened } from '../../../behaviours/showOpened.ts';
import { dropZone } from '../../../behaviours/dropZone.ts';
import { useSettings } from '../../ui/state.ts';
import { IntroCard } from '../IntroCard.tsx';
import { useAsyncSide, usePlayerIfAny, useTranscriptionIfAny, useUpload } from '../state.ts';
import { Workbench } from '../Workbench.tsx';
import { Accordion } from './Accordion.tsx';
import { AsyncSettings } from './AsyncSettings.tsx';
import { Dialogs } from './Dialogs.tsx';
import { FileArea } from './FileArea.tsx';
import { FileCard } from './FileCard.tsx';
import { History } from './History.tsx';
import { Library } from './Library.tsx';
import { Samples } from './Samples.tsx';
import { TranscribeBar } from './TranscribeBar.tsx';
import { TranscriptionView } from './TranscriptionView.tsx';

/** The REST API tab: a file, the settings, and the transcription. */
export function AsyncView() {
  const upload = useUpload();
  const takeFiles = useMemo(
    () =>
      dropZone({
        onFile: (file) => upload.send({ type: 'file.chosen', file }),
        onProblem: (problem) => upload.send({ type: 'drop.questioned', problem }),
      }),
    [upload],
  );
  return (
    <div ref={takeFiles} className="drop-zone">
      <Workbench title="Transcription" source={<Source />} panel={<SidePanel />} bar={<TranscribeBar />}>
        <Output />
      </Workbench>
      <div className="drop-target">
        <p>Drop the file to upload it</p>
      </div>
      <Dialogs />
    </div>
  );
}

function SidePanel() {
  const asyncSide = useAsyncSide();
  const open = useSelector(asyncSide, (snapshot) => (snapshot.hasTag('history') ? 'history' : 'settings'));
  const summary = useSelector(asyncSide, ({ context }) =>
    [asyncModel(context)?.name, ...settingsOf({ ...context.settings, translation: context.settings.translation_type })]
      .filter(Boolean)
      .join(' · '),
  );
  return (
    <Accordion
      open={open}
      onOpen={(panel) => asyncSide.send({ type: 'panel.selected', panel })}
      sections={[
        { name: 'settings', title: 'Settings', summary, content: <AsyncSettings /> },
        { name: 'history', title: 'History', content: <History /> },
      ]}
    />
  );
}

/** The opened file, or the choice of one (ASY-02). */
function Source() {
  const { hasFile, hasTranscription } = useOpened();
  const isLoaded = useSelector(useAsyncSide(), (snapshot) => snapshot.hasTag('filePlayable'));
  if (!hasFile && !hasTranscription)
    return (
      <div className="cards">
        <FileArea />
        <Samples />
      </div>
    );
  return (
    <WithPlayerKeys>
      <FileCard />
      {isLoaded && !hasTranscription ? (
        <Text color="fg.muted" fontSize="sm" px="1" mt="4">
          Ready to transcribe.
        </Text>
      ) : null}
    </WithPlayerKeys>
  );
}

/** The opened transcription, or the library. */
function Output() {
  const { apiReference } = useSettings().links;
  const { hasFile, hasTranscription } = useOpened();
  if (hasTranscription)
    return (
      <Opened>
        <TranscriptionView />
      </Opened>
    );
  if (hasFile) return null;
  return (
    <div className="cards">
      <Library />
      <IntroCard title="REST API" apiReference={apiReference}>
        Upload a recording, ask for a transcription, and fetch the text when it is done. Do the same from your code in a
        few calls.
      </IntroCard>
    </div>
  );
}

function useOpened() {
  const hasFile = useSelector(useAsyncSide(), ({ context }) => context.fileId !== null);
  return { hasFile, hasTranscription: useTranscriptionIfAny() !== undefined };
}

/** The item opened from a list. Scrolls into view, as the list may be far below it. */
function Opened({ children }: { children: ReactNode }) {
  const opened = useSelector(useAsyncSide(), ({ context: { route } }) => route.transcriptionId ?? route.fileId);
  return (
    <Box ref={showOpened} role="group" aria-label="Opened item" data-opened={opened} tabIndex={-1} outline="none">
      <WithPlayerKeys>{children}</WithPlayerKeys>
    </Box>
  );
}

/** Handles the player's keys within `children`, while there is a player. */
function WithPlayerKeys({ children }: { children: ReactNode }) {
  const player = usePlayerIfAny();
  const keys = useMemo(() => (player ? playerKeys(player) : undefined), [player]);
  return (
    <Box ref={keys} minWidth="0">
      {children}
    </Box>
  );
}
