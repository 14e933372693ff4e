import { Button, Flex, Heading, Stack, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Play } from 'lucide-react';
import { useCallback } from 'react';
import { aimsAtLanguage, showsIntro } from '#machines/playground/live/select.ts';
import type { TranscriptRecord } from '#machines/playground/transcript/record.ts';
import { showRunning } from '../../../behaviours/showRunning.ts';
import { SearchButton } from '../transcript/SearchButton.tsx';
import { ExportBar } from '../transcript/ExportBar.tsx';
import { FinalSentences } from '../transcript/FinalSentences.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useSettings } from '../../ui/state.ts';
import { IntroCard } from '../IntroCard.tsx';
import { ShownTranscript } from '../ShownTranscript.tsx';
import { useLive, useTranscript } from '../state.ts';
import { RUN_ID } from './LiveControls.tsx';
import { LiveError } from './LiveError.tsx';

/** The live transcript; before a session, an introduction to the WebSocket API (LIV-19). */
export function LiveOutput() {
  const live = useLive();
  const { links } = useSettings();
  const isIntro = useSelector(live, showsIntro);
  return (
    <Stack gap="4" minWidth="0">
      <LiveError docs={links.docs} />
      {isIntro ? (
        <IntroCard title="WebSocket API" apiReference={links.apiReference} action={<SampleButton />}>
          Send audio and get words back as you speak. Press Run to talk into the microphone, or choose a file to play.
        </IntroCard>
      ) : (
        <Output />
      )}
      <FinalSentences />
    </Stack>
  );
}

/** Starts a session with a sample recording (ONB-07). */
function SampleButton() {
  const live = useLive();
  const mayPlay = useSelector(live, (snapshot) => snapshot.can({ type: 'sample.requested' }));
  return (
    <Button
      size="sm"
      variant="outline"
      mt="2"
      data-next={RUN_ID}
      aria-disabled={!mayPlay}
      onClick={() => live.send({ type: 'sample.requested' })}
    >
      <Play size={14} aria-hidden /> Try a sample
    </Button>
  );
}

function Output() {
  const live = useLive();
  const transcript = useTranscript();
  const hasTranslations = useSelector(transcript, ({ context }) => context.hasTranslations);
  const hasTarget = useSelector(live, aimsAtLanguage);
  const hasSpeakers = useSelector(transcript, ({ context }) => context.hasSpeakers);
  const read = useCallback(() => transcript.getSnapshot().context, [transcript]);
  const isEmpty = useSelector(live, (snapshot) => snapshot.hasTag('empty'));
  const isIdle = useSelector(live, (snapshot) => snapshot.hasTag('stopped'));
  const isListening = useSelector(live, (snapshot) => snapshot.hasTag('running'));
  // The session ended without words: only LiveError has something to show.
  if (isEmpty && isIdle) return null;
  return (
    <Panel
      as="section"
      ref={showRunning}
      data-runs={isIdle ? undefined : ''}
      aria-labelledby="live-heading"
      display="flex"
      flexDirection="column"
      height="max(420px, calc(100dvh - 256px))"
    >
      <Flex wrap="wrap" align="center" justify="space-between" gap="2" mb="2">
        <Flex align="center" justify="space-between" gap="2" flexGrow={{ base: 1, sm: 0 }}>
          <Heading as="h2" id="live-heading" size="md">
            Transcript
          </Heading>
          {!isEmpty && <SearchButton />}
        </Flex>
        {!isEmpty && (
          <ExportBar
            read={read}
            hasSides={hasTranslations || hasTarget}
            hasSpeakers={hasSpeakers}
            name="live-transcript"
          />
        )}
      </Flex>
      {isEmpty && (
        <Text color="fg.muted" mt="2">
          {isListening ? 'Listening…' : 'Waiting…'}
        </Text>
      )}
      <GrowingTranscript read={read} />
    </Panel>
  );
}

/** The only part that renders for every message. */
function GrowingTranscript({ read }: { read: () => TranscriptRecord }) {
  const live = useLive();
  const transcript = useTranscript();
  const record = useSelector(transcript, ({ context }) => context);
  const hasTarget = useSelector(live, aimsAtLanguage);
  return <ShownTranscript record={record} read={read} label="Live transcript" hasTarget={hasTarget} isFollowing />;
}
