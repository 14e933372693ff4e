import { Box, Flex, Heading, SimpleGrid, Text } from '@chakra-ui/react';
import { Figure } from '../Figure.tsx';
import { formatAudio, formatCost, formatCount, formatMonth } from '../figures.ts';

type Props = {
  /** When the month began. */
  start: string;
  totals: { requests: number; audio_ms: number; cost_micros: number | null };
};

/** This month's usage as figures under a heading (ORG-04, ONB-20). */
export function MonthFigures({ start, totals: { requests, audio_ms, cost_micros } }: Props) {
  return (
    <Box as="section" aria-labelledby="this-month">
      <Flex align="baseline" wrap="wrap" columnGap="3" mb="4">
        <Heading as="h2" id="this-month" fontSize="lg" fontWeight="semibold">
          This month
        </Heading>
        <Text fontSize="sm" color="fg.muted">
          {`${formatMonth(start)}, UTC`}
        </Text>
      </Flex>
      <SimpleGrid
        as="dl"
        gap="4"
        columns={{ base: 2, md: 3 }}
        css={{ '& > :last-child': { gridColumn: { base: '1 / -1', md: 'auto' } } }}
      >
        <Figure name="Requests">{formatCount(requests)}</Figure>
        <Figure name="Audio">{formatAudio(audio_ms)}</Figure>
        <Figure name="Cost">
          {cost_micros === null ? (
            <Text fontSize="sm" fontWeight="normal" color="fg.muted" whiteSpace="normal">
              {formatCost(null)}
            </Text>
          ) : (
            formatCost(cost_micros)
          )}
        </Figure>
      </SimpleGrid>
    </Box>
  );
}
