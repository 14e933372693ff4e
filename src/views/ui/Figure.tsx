import { Flex, Text } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { Panel } from './Panel.tsx';

/** A large number with its name, for use in a `dl`. Shrinks in narrow windows, and never wraps. */
export function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Panel p="4">
      <Text as="dt" fontSize="sm" color="fg.muted">
        {name}
      </Text>
      <Flex
        as="dd"
        align="center"
        minH="9"
        whiteSpace="nowrap"
        fontSize="clamp(0.875rem, 4.6vw, 1.5rem)"
        fontWeight="semibold"
        letterSpacing="-0.01em"
        fontVariantNumeric="tabular-nums"
      >
        {children}
      </Flex>
    </Panel>
  );
}
