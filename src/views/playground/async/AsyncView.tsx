import { Box, Flex, Stack, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useMemo } from 'react';
import type { DisplayActor } from '#machines/playground/reader/display/machine.ts';
import type { ExporterActor } from '#machines/playground/reader/exporter/machine.ts';
import type { PlaygroundActor } from '#machines/playground/machine.ts';
import type { SearchActor } from '#machines/playground/reader/search/machine.ts';
import type { SelectionActor } from '#machines/playground/reader/selection/machine.ts';
import type { SidePanelActor } from '#machines/playground/sidePanel/machine.ts';
import { playerKeys } from '../../../behaviours/playerKeys.ts';
import { showOpened } from '../../../behaviours/showOpened.ts';
import { dropZone } from '../../../behaviours/dropZone.ts';
import { TOP_BAR_HEIGHT } from '../../shell/measures.ts';
import { IntroCard } from '../IntroCard.tsx';
import { Workbench } from '../Workbench.tsx';
import { Accordion } from './Accordion.tsx';
import { AsyncSettings } from './AsyncSettings.tsx';
import { FileArea } from './FileArea.tsx';
import { FileCard } from './FileCard.tsx';
import { History } from './History.tsx';
import { Library } from './Library.tsx';
import { RemovalDialog } from './RemovalDialog.tsx';
import { TranscribeBar } from './TranscribeBar.tsx';
import { TranscriptionView } from './TranscriptionView.tsx';
import { UploadDialog } from './UploadDialog.tsx';

type Props = {
  playground: PlaygroundActor;
  sidePanel: SidePanelActor;
  display: DisplayActor;
  exporter: ExporterActor;
  search: SearchActor;
  selection: SelectionActor;
  withTags: boolean;
  apiReference: string;
};

/** The REST API tab: a file, what to ask of it, and its transcription. */
export function AsyncView({
  playground,
  sidePanel,
  display,
  exporter,
  search,
  selection,
  withTags,
  apiReference,
}: Props) {
  const upload = useSelector(playground, (snapshot) => snapshot.children.upload);
  const removal = useSelector(playground, (snapshot) => snapshot.children.removal);
  const takeFiles = useMemo(
    () =>
      dropZone({
        onFile: (file) => playground.send({ type: 'file.chosen', file }),
        onProblem: (problem) => playground.send({ type: 'drop.questioned', problem }),
      }),
    [playground],
  );
  return (
    <Box ref={takeFiles} position="relative" css={DROP_STYLES}>
      <Workbench
        sidePanel={sidePanel}
        title="Transcription"
        panel={<SidePanel playground={playground} />}
        bar={<TranscribeBar playground={playground} />}
      >
        <Content
          playground={playground}
          display={display}
          exporter={exporter}
          search={search}
          selection={selection}
          withTags={withTags}
          apiReference={apiReference}
        />
      </Workbench>
      <DropTarget />
      {upload && <UploadDialog upload={upload} />}
      {removal && <RemovalDialog playground={playground} removal={removal} />}
    </Box>
  );
}

function SidePanel({ playground }: { playground: PlaygroundActor }) {
  const open = useSelector(playground, (snapshot) => (snapshot.hasTag('history') ? 'history' : 'settings'));
  return (
    <Accordion
      open={open}
      onOpen={(panel) => playground.send({ type: 'panel.selected', panel })}
      sections={[
        { name: 'settings', title: 'Settings', content: <AsyncSettings playground={playground} /> },
        { name: 'history', title: 'History', content: <History playground={playground} /> },
      ]}
    />
  );
}

/** What the address opens (ASY-02). */
function Content({
  playground,
  display,
  exporter,
  search,
  selection,
  withTags,
  apiReference,
}: Omit<Props, 'sidePanel'>) {
  const transcription = useSelector(playground, (snapshot) => snapshot.children.transcription);
  const player = useSelector(playground, (snapshot) => snapshot.children.player);
  const keys = useMemo(() => (player ? playerKeys(player) : undefined), [player]);
  const opened = useSelector(playground, ({ context: { route } }) => route.transcriptionId ?? route.fileId);
  const hasFile = useSelector(playground, ({ context }) => context.fileId !== null);
  const isLoaded = useSelector(playground, (snapshot) => snapshot.hasTag('filePlayable'));
  const hasTranscription = transcription !== undefined;
  if (!hasFile && !hasTranscription) return <Start playground={playground} apiReference={apiReference} />;
  return (
    <Box
      ref={showOpened}
      role="group"
      aria-label="Opened item"
      data-opened={opened}
      tabIndex={-1}
      outline="none"
      scrollMarginTop={`calc(${TOP_BAR_HEIGHT} + 1rem)`}
    >
      <Box ref={keys} display="grid" gap="4" gridTemplateColumns="minmax(0, 1fr)">
        <FileCard playground={playground} />
        {hasTranscription ? (
          <TranscriptionView
            transcription={transcription}
            display={display}
            exporter={exporter}
            search={search}
            selection={selection}
            player={player}
            withTags={withTags}
          />
        ) : isLoaded ? (
          <Text color="fg.muted" fontSize="sm" px="1">
            Ready to transcribe.
          </Text>
        ) : null}
      </Box>
    </Box>
  );
}

function Start({ playground, apiReference }: { playground: PlaygroundActor; apiReference: string }) {
  return (
    <Stack gap="4" minWidth="0">
      <FileArea playground={playground} />
      <Library playground={playground} />
      <IntroCard title="REST API" apiReference={apiReference}>
        Upload a recording, ask for a transcription, and fetch the text when it is done. Do the same from your code in a
        few calls.
      </IntroCard>
    </Stack>
  );
}

/** Seen only while a file hangs over the page. */
function DropTarget() {
  return (
    <Flex
      data-drop-target
      display="none"
      position="absolute"
      inset="-2"
      zIndex="overlay"
      align="center"
      justify="center"
      borderWidth="2px"
      borderStyle="dashed"
      borderColor="brand.solid"
      borderRadius="l3"
      bg="brand.subtle/90"
      pointerEvents="none"
    >
      <Text fontSize="lg" fontWeight="semibold" color="brand.fg">
        Drop the file to upload it
      </Text>
    </Flex>
  );
}

const DROP_STYLES = { '&[data-dragging] > [data-drop-target]': { display: 'flex' } };
