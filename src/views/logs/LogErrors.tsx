import { Button, Flex, Heading, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { useId } from 'react';
import { validView } from '#machines/workspace/logs/filter.ts';
import type { LogsActor } from '#machines/workspace/logs/machine.ts';
import { formatCount } from '../ui/figures.ts';

/** The failures of the shown period by error type. A button filters by one type; pressed again, it shows all. */
export function LogErrors({ actor }: { actor: LogsActor }) {
  const headingId = useId();
  const errors = useSelector(actor, ({ context }) => context.choices?.errors);
  const chosen = useSelector(actor, ({ context }) => validView(context.view).error);
  if (!errors || errors.length === 0) return null;
  return (
    <Flex as="section" aria-labelledby={headingId} wrap="wrap" align="center" gap="3">
      <Heading as="h2" id={headingId} fontSize="sm" fontWeight="semibold">
        Failures by error
      </Heading>
      <Flex as="ul" listStyleType="none" gap="2" wrap="wrap" aria-labelledby={headingId}>
        {errors.map(({ error_type, requests }) => (
          <chakra.li key={error_type} minW="0" maxW="full">
            <Button
              size="sm"
              maxW="full"
              variant={chosen === error_type ? 'solid' : 'outline'}
              aria-pressed={chosen === error_type}
              onClick={() =>
                actor.send({
                  type: 'facet.chosen',
                  facet: 'error',
                  value: chosen === error_type ? null : error_type,
                })
              }
            >
              <Text as="span" minW="0" truncate>
                {error_type}
              </Text>{' '}
              <chakra.span fontVariantNumeric="tabular-nums">{formatCount(requests)}</chakra.span>
            </Button>
          </chakra.li>
        ))}
      </Flex>
    </Flex>
  );
}
