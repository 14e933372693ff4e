import { Box, Flex, HStack, Progress, Spinner, Stack, Text, chakra } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import { FileAudio, Mic } from 'lucide-react';
import type { LiveSource } from '#machines/playground/live/machine.ts';
import { formatClock } from '../transcript/details.ts';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { FilePicker } from '../fields/FilePicker.tsx';
import { formatBytes } from '../../ui/format.ts';
import { useLive } from '../state.ts';

const SOURCES = [
  { source: 'microphone', label: 'Mic', icon: <Mic size={15} aria-hidden /> },
  { source: 'file', label: 'File', icon: <FileAudio size={15} aria-hidden /> },
] as const satisfies readonly { source: LiveSource; label: string; icon: unknown }[];

/** Chooses the source of the audio: the microphone or a file (LIV-10). */
export function SourceChoice() {
  const live = useLive();
  const source = useSelector(live, ({ context }) => context.source);
  const isLocked = useSelector(live, (snapshot) => !snapshot.hasTag('stopped'));
  return (
    <Box>
      <Flex role="radiogroup" aria-label="Audio input" p="1" gap="1" bg="bg.muted" borderRadius="l2">
        {SOURCES.map(({ source: value, label, icon }) => (
          <chakra.label
            key={value}
            flex="1"
            display="flex"
            alignItems="center"
            justifyContent="center"
            gap="2"
            py="1.5"
            fontSize="sm"
            fontWeight="medium"
            borderRadius="l1"
            cursor="pointer"
            color="fg.muted"
            css={{
              '&:has(:checked)': {
                background: 'bg.panel',
                color: 'fg',
                boxShadow: '0 0 0 1px {colors.border.control}',
              },
              '&:has(:disabled)': { cursor: 'not-allowed', opacity: 0.6 },
            }}
            _focusWithin={{ outlineWidth: '2px', outlineStyle: 'solid', outlineColor: 'brand.focusRing' }}
          >
            <chakra.input
              type="radio"
              srOnly
              name="audio-input"
              value={value}
              checked={source === value}
              disabled={isLocked}
              onChange={() => live.send({ type: 'source.selected', source: value })}
            />
            {icon}
            <span>{label}</span>
          </chakra.label>
        ))}
      </Flex>
      {source === 'file' ? <FileInput isLocked={isLocked} /> : null}
    </Box>
  );
}

function FileInput({ isLocked }: { isLocked: boolean }) {
  const live = useLive();
  const file = useSelector(live, ({ context }) => context.file);
  return (
    <Stack gap="2" mt="3">
      <Flex align="center" gap="3">
        <FilePicker
          id="live-file"
          label={file ? 'Choose another' : 'Choose file'}
          isDisabled={isLocked}
          describedBy="live-file-name"
          onFile={(picked) => live.send({ type: 'file.picked', file: picked })}
        />
        {file ? (
          <Box id="live-file-name" fontSize="sm" minWidth="0">
            <Text fontWeight="medium" truncate title={file.name}>
              <bdi>{file.name}</bdi>
            </Text>
            <Text fontSize="xs" color="fg.muted">
              {formatBytes(file.size)}
            </Text>
          </Box>
        ) : null}
      </Flex>
      {file ? null : (
        <Text id="live-file-name" fontSize="xs" color="fg.muted">
          No file chosen. You'll hear it as it's transcribed.
        </Text>
      )}
      <FileState />
      {file && <Playback />}
    </Stack>
  );
}

/** Says that the file is loading, or why it cannot be played (LIV-10). */
function FileState() {
  const live = useLive();
  const isLoading = useSelector(live, (snapshot) => snapshot.hasTag('fileLoading'));
  const problem = useSelector(live, ({ context }) => context.fileProblem);
  if (isLoading) {
    return (
      <HStack as="output" gap="2" fontSize="xs" color="fg.muted">
        <Spinner size="xs" aria-hidden /> Loading the file…
      </HStack>
    );
  }
  return <FailureAlert failure={problem}>{problem?.detail}</FailureAlert>;
}

function Playback() {
  const live = useLive();
  const { positionMs, durationMs } = useSelector(live, ({ context }) => context.playback, shallowEqual);
  if (durationMs === 0) return null;
  const text = `${formatClock(positionMs)} / ${formatClock(durationMs)}`;
  return (
    <HStack gap="3">
      <Progress.Root flex="1" size="xs" value={positionMs} max={durationMs} translations={{ value: () => text }}>
        <Progress.Track aria-label="Playback">
          <Progress.Range />
        </Progress.Track>
      </Progress.Root>
      <Text flexShrink="0" fontSize="xs" color="fg.muted" fontVariantNumeric="tabular-nums">
        {text}
      </Text>
    </HStack>
  );
}
