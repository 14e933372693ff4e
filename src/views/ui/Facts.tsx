import { Box, Heading, Text } from '@chakra-ui/react';
import type { ReactNode } from 'react';

export type Fact = readonly [name: string, value: ReactNode];

/** A list of names and values. Lists below each other have columns of one width. */
export const FactList = ({ label, facts }: { label: string; facts: readonly Fact[] }) => (
  <Box
    as="dl"
    aria-label={label}
    display="grid"
    gridTemplateColumns="max(96px, 32%) minmax(0, 1fr)"
    gap="2"
    columnGap="4"
  >
    {facts.map(([name, value]) => (
      <Box key={name} display="contents">
        <Text as="dt" fontSize="sm" color="fg.muted">
          {name}
        </Text>
        <Box as="dd" fontSize="sm" minW="0" overflowWrap="anywhere">
          {value}
        </Box>
      </Box>
    ))}
  </Box>
);

/** A section of a drawer, with a heading. */
export const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <Heading as="h3" fontSize="sm" fontWeight="semibold" mb="2">
      {title}
    </Heading>
    {children}
  </section>
);
