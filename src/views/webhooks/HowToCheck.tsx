import { Box, chakra, Flex, Heading, SimpleGrid, Text } from '@chakra-ui/react';
import { CHECK_IN_NODE, CHECK_IN_PYTHON } from '#machines/playground/snippets/webhook.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Disclosure } from '../ui/Disclosure.tsx';
import { CodeBlock } from './CodeBlock.tsx';
import { ReferenceLink } from './ReferenceLink.tsx';

const HEADERS = [
  ['webhook-id', 'The same for every attempt: use it to skip duplicates.'],
  [
    'webhook-timestamp',
    'When this attempt was sent, in seconds since 1970. Refuse it if it is more than five minutes off.',
  ],
  ['webhook-signature', 'Signatures, separated by spaces. Accept the delivery if any of them matches.'],
] as const;

/** How a receiver checks a webhook's signature. */
export const HowToCheck = () => (
  <Disclosure
    mt="3"
    summary="How to check a signature"
    summaryProps={{ width: 'fit-content', fontWeight: 'medium', borderRadius: 'l1' }}
  >
    <Text mt="3" fontSize="sm">
      Webhooks are signed according to the Standard Webhooks specification. Check them with its libraries, or with a few
      lines of your own code. See <ReferenceLink />.
    </Text>
    <Box as="dl" mt="3" fontSize="sm" display="grid" gap="2" aria-label="Headers">
      {HEADERS.map(([name, meaning]) => (
        <Flex key={name} wrap="wrap" columnGap="3">
          <chakra.dt className="notranslate" flex="0 0 160px" fontFamily="mono" fontSize="xs" lineHeight="inherit">
            {name}
          </chakra.dt>
          <chakra.dd flex="1 1 240px" color="fg.muted">
            {meaning}
          </chakra.dd>
        </Flex>
      ))}
    </Box>
    <SimpleGrid columns={{ base: 1, xl: 2 }} gap="4" mt="4">
      <Code language="Node.js" code={CHECK_IN_NODE} />
      <Code language="Python" code={CHECK_IN_PYTHON} />
    </SimpleGrid>
  </Disclosure>
);

const Code = ({ language, code }: { language: string; code: string }) => (
  <Box minW="0">
    <Flex align="center" justify="space-between" mb="1">
      <Heading as="h3" fontSize="sm" fontWeight="semibold">
        {language}
      </Heading>
      <CopyButton text={code} label={`the check in ${language}`} />
    </Flex>
    <CodeBlock label={`Check in ${language}`} code={code} />
  </Box>
);
