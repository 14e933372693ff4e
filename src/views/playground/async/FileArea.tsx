import { Box, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { FileAudio } from 'lucide-react';
import { FilePicker } from '../fields/FilePicker.tsx';
import { formatBytes } from '../../ui/format.ts';
import { useUpload } from '../state.ts';

/** Chooses a file. Files can be dropped anywhere below the tabs. */
export function FileArea() {
  const upload = useUpload();
  const maxBytes = useSelector(upload, ({ context }) => context.maxUploadBytes);
  return (
    <Flex
      direction="column"
      align="center"
      gap="3"
      textAlign="center"
      px="4"
      py={{ base: '8', md: '10' }}
      borderWidth="1px"
      borderStyle="dashed"
      borderRadius="l3"
      bg="bg.subtle"
    >
      <Flex
        align="center"
        justify="center"
        boxSize="12"
        borderRadius="full"
        bg="brand.subtle"
        color="brand.fg"
        aria-hidden
      >
        <FileAudio size={22} />
      </Flex>
      <Box>
        <Text fontWeight="semibold">Drop a recording here</Text>
        <Text id="file-limits" fontSize="sm" color="fg.muted" mt="1">
          {`Audio, or video with sound, up to ${formatBytes(maxBytes)}`}
        </Text>
      </Box>
      <FilePicker
        id="upload-file"
        label="Choose file"
        describedBy="file-limits"
        onFile={(file) => upload.send({ type: 'file.chosen', file })}
      />
    </Flex>
  );
}
