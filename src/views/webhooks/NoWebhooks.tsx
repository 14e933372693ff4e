import { Box, Text } from '@chakra-ui/react';
import { Webhook } from 'lucide-react';
import { EmptyState } from '../ui/EmptyState.tsx';
import { InlineCode } from '../ui/InlineCode.tsx';
import { CodeBlock } from './CodeBlock.tsx';
import { ReferenceLink } from './ReferenceLink.tsx';

const EXAMPLE = `{
  "model": "parlance-async-1",
  "file_id": "…",
  "webhook_url": "https://example.com/hook"
}`;

/** How to get a first webhook. */
export const NoWebhooks = () => (
  <EmptyState icon={<Webhook size={22} />} title="No webhooks yet" action={<ReferenceLink />}>
    <Text>
      Set a <InlineCode>webhook_url</InlineCode> when you start a transcription. A webhook is sent to that address once
      the transcription ends, and its delivery is listed here.
    </Text>
    <Box mt="4">
      <CodeBlock label="Example" code={EXAMPLE} />
    </Box>
  </EmptyState>
);
