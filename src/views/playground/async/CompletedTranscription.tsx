import { Flex, Heading, HStack, Stack, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useCallback, useMemo } from 'react';
import { recordOf } from '#machines/playground/transcript/record.ts';
import { hasText, NO_TEXT, notesOf } from '#machines/playground/transcription/texts.ts';
import { ExportBar } from '../transcript/ExportBar.tsx';
import { SearchButton } from '../transcript/SearchButton.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { ShownTranscript } from '../ShownTranscript.tsx';
import { useExporter, usePlayerIfAny, useTranscription } from '../state.ts';
import { factsOf, StateBadge } from './facts.tsx';
import { ResponseTabs } from './ResponseTabs.tsx';

/** A transcription with its facts and its text. */
export function CompletedTranscription() {
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
