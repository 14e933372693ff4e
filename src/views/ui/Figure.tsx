import { Flex, Text } from '@chakra-ui/react';
import type { ReactNode } from 'react';
import { Panel } from './Panel.tsx';

/** One number with its name, large; inside of a `dl`. */
export function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Panel p="4">
      <Text as="dt" fontSize="sm" color="fg.muted">
        {name}
      </Text>
      <Flex as="dd" align="center" minH="9" overflowWrap="anywhere" fontSize={{ base: 'xl', md: '2xl' }} fontWeight="semibold" letterSpacing="-0.01em" fontVariantNumeric="tabular-nums">
        {children}
      </Flex>
    </Panel>
  );
}
