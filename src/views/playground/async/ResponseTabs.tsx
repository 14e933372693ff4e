import { Box, Tabs, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { type ReactNode, useMemo } from 'react';
import { sideOf } from '#machines/playground/reader/display/machine.ts';
import { exportText, type ExportFormat } from '#machines/playground/reader/exporter/formats.ts';
import { tokensOf, type TranscriptRecord } from '#machines/playground/transcript/record.ts';
import { formatCount } from '../../ui/figures.ts';
import { FORMATS } from '../transcript/formats.ts';
import { useDisplay, useExporter } from '../state.ts';

/** The most characters that are shown; hours of recording have millions. */
const SHOWN_MAX = 100_000;

type Props = {
  record: TranscriptRecord;
  /** The contents of the transcript tab. */
  children: ReactNode;
};

/** A response as transcript, and as text of each export format. Copy and Download use the tab's format (UXP-51). */
export function ResponseTabs({ record, children }: Props) {
  const exporter = useExporter();
  const format = useSelector(exporter, ({ context }) => context.format);
  return (
    <Tabs.Root
      value={format}
      onValueChange={({ value }) => exporter.send({ type: 'format.selected', format: value as ExportFormat })}
      size="sm"
      display="flex"
      flexDirection="column"
      minHeight="0"
      flex="1"
      lazyMount
      unmountOnExit
    >
      <Tabs.List mb="2" flexShrink="0" aria-label="Format">
        {FORMATS.map(({ value, tab }) => (
          <Tabs.Trigger key={value} value={value} flexShrink="0" px={{ base: '2', sm: '3' }}>
            {tab}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {FORMATS.map(({ value, tab }) => (
        <Tabs.Content key={value} value={value} p="0" display="flex" flexDirection="column" minHeight="0" flex="1">
          {value === 'txt' ? children : <Response record={record} format={value} name={tab} />}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}

function Response({ record, format, name }: { record: TranscriptRecord; format: ExportFormat; name: string }) {
  const withSpeakers = useSelector(useExporter(), ({ context }) => context.withSpeakers);
  const side = useSelector(useDisplay(), ({ context }) => sideOf(context, record.hasTranslations));
  const text = useMemo(
    () => exportText(tokensOf(record), { format, side, withSpeakers }),
    [record, format, side, withSpeakers],
  );
  return (
    <>
      <Box
        as="pre"
        className="notranslate"
        tabIndex={0}
        role="region"
        aria-label={`Transcript as ${name}`}
        flex="1"
        minHeight="0"
        overflow="auto"
        p="3"
        borderWidth="1px"
        borderRadius="l2"
        bg="bg.subtle"
        fontFamily="mono"
        fontSize="xs"
        whiteSpace="pre-wrap"
        overflowWrap="anywhere"
        focusRing="inside"
      >
        {text.slice(0, SHOWN_MAX)}
      </Box>
      {text.length > SHOWN_MAX ? (
        <Text mt="2" fontSize="xs" color="fg.muted">
          {`The first ${formatCount(SHOWN_MAX)} characters of ${formatCount(text.length)}. Copy and Download have all of them.`}
        </Text>
      ) : null}
    </>
  );
}
