import { Box, Flex, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { UsageActor } from '#machines/workspace/usage/machine.ts';
import { formatValue, type Series, type Unit } from './bars.ts';

/** What the colours stand for, with the figures of the bar that is pointed at, or of the whole period. */
export function Legend({ actor, series, unit }: { actor: UsageActor; series: readonly Series[]; unit: Unit }) {
  const pointed = useSelector(actor, ({ context }) => context.pointed);
  return (
    <Flex as="ul" aria-label="Models" listStyleType="none" wrap="wrap" columnGap="6" rowGap="2" mt="4" fontSize="sm">
      {series.map(({ name, service, values, total, colour }) => (
        <Flex as="li" key={colour} align="center" gap="2" minW="0">
          <Box boxSize="3" borderRadius="2px" flexShrink="0" aria-hidden style={{ background: colour }} />
          <Text minW="0" overflowWrap="anywhere">
            {name} <chakra.span color="fg.muted">{service}</chakra.span>{' '}
            <chakra.span fontWeight="medium" fontVariantNumeric="tabular-nums">
              {formatValue(pointed === null ? total : (values[pointed] ?? 0), unit)}
            </chakra.span>
          </Text>
        </Flex>
      ))}
    </Flex>
  );
}
