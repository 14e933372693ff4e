import { Flex, Text } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { Panel } from './Panel.tsx';

/** A large number with its name, for use in a `dl`. Shrinks with its card; words that are still too long wrap. */
export function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Panel p="4" containerType="inline-size">
      <Text as="dt" fontSize="sm" color="fg.muted">
        {name}
      </Text>
      <Flex
        as="dd"
        align="center"
        minH="9"
        fontSize="clamp(1rem, 12.5cqi, 1.5rem)"
        fontWeight="semibold"
        letterSpacing="-0.01em"
        fontVariantNumeric="tabular-nums"
      >
        {children}
      </Flex>
    </Panel>
  );
}
