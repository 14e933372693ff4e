import { HStack, Spinner, Text } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { Panel } from '../../ui/Panel.tsx';

/** The id of the status line: it describes the box around it. */
export const STATUS_ID = 'transcription-status';

export function Waiting({ children }: { children: ReactNode }) {
  return (
    <Panel>
      <StatusLine>{children}</StatusLine>
    </Panel>
  );
}

export function StatusLine({ children }: { children: ReactNode }) {
  return (
    // Not an `output`: by the HTML accessibility mapping, its text cannot be a description.
    <HStack role="status" id={STATUS_ID} gap="3" color="fg.muted">
      <Spinner size="sm" color="brand.fg" aria-hidden />
      <Text overflowWrap="anywhere">{children}</Text>
    </HStack>
  );
}
