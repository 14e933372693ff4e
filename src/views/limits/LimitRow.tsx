import { Badge, Box, Button, Flex, Heading, Table, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { Limit, LimitIncrease } from '#contract/limits.ts';
import type { LimitsActor } from '#machines/workspace/limits/machine.ts';
import { canAsk, increaseOf, isReachedAbove } from '#machines/workspace/limits/select.ts';
import { shareOf } from '#machines/shared/limitShare.ts';
import { Age } from '../ui/Age.tsx';
import { NEARLY, UsageMeter } from './UsageMeter.tsx';
import { cappedText, changeTitle, formatLimit, reservedText, sourceText, useText, WORDS } from '../ui/limits/words.ts';

type Props = { actor: LimitsActor; limit: Limit; isManageable: boolean };

/** A row of the table of limits: what is limited, the limit, its use and source, and buttons to change or raise it. */
export function LimitRow({ actor, limit, isManageable }: Props) {
  const context = useSelector(actor, (snapshot) => snapshot.context);
  const { name, value } = limit;
  const words = WORDS[name];
  const increase = increaseOf(context, name);
  const capped = cappedText(limit);
  return (
    <Table.Row role="row" data-row={name} bg="transparent">
      <Table.Cell role="rowheader" maxW={{ lg: '500px' }}>
        <Flex align="center" wrap="wrap" columnGap="2" rowGap="1">
          <Heading as="h2" textStyle="sm" fontWeight="semibold">
            {words.name}
          </Heading>
          <State limit={limit} />
        </Flex>
        <Text mt="0.5" color="fg.muted">
          {words.text}
        </Text>
        {limit.is_reached ? (
          <Text mt="1" color="fg.error">
            {`${isReachedAbove(limit) ? 'The organization has reached its limit. ' : ''}${words.refused} ${remedyOf(context.what, limit, isManageable)}`}
          </Text>
        ) : null}
        {increase ? <Increase increase={increase} /> : null}
      </Table.Cell>
      <Table.Cell role="cell" data-title="Limit" fontVariantNumeric="tabular-nums" whiteSpace={{ lg: 'nowrap' }}>
        <Text fontWeight="semibold">{value === null ? 'No limit' : formatLimit(name, value)}</Text>
      </Table.Cell>
      <Table.Cell role="cell" data-title="Used" fontVariantNumeric="tabular-nums">
        <Box minW={{ base: '150px', lg: '110px', xl: '180px' }}>
          <UsageMeter limit={limit} />
          <Text mt={value === null ? '0' : '1.5'}>{useText(limit) + reservedText(limit)}</Text>
        </Box>
      </Table.Cell>
      <Table.Cell role="cell" data-title="Set by">
        <Text>{sourceText(context.what, limit)}</Text>
        {capped ? <Text color="fg.muted">{capped}</Text> : null}
      </Table.Cell>
      {isManageable ? (
        <Table.Cell role="cell">
          <Flex gap="1" mt={{ base: '1', lg: '0' }} wrap={{ base: 'wrap', xl: 'nowrap' }}>
            <Button
              size="sm"
              variant="outline"
              aria-label={changeTitle(name)}
              onClick={() => actor.send({ type: 'change.requested', limit: name })}
            >
              Change
            </Button>
            {canAsk(context, name) ? (
              <Button
                size="sm"
                variant="ghost"
                aria-label={`Request an increase: ${words.name}`}
                onClick={() => actor.send({ type: 'increase.requested', limit: name })}
              >
                Request an increase
              </Button>
            ) : null}
          </Flex>
        </Table.Cell>
      ) : null}
    </Table.Row>
  );
}

function State({ limit }: { limit: Limit }) {
  if (limit.is_reached) return <Badge colorPalette="red">Reached</Badge>;
  return (shareOf(limit) ?? 0) >= NEARLY ? <Badge colorPalette="orange">Nearly reached</Badge> : null;
}

/** What to do about a reached limit, depending on the person's rights. */
function remedyOf(what: 'organization' | 'project', limit: Limit, isManageable: boolean): string {
  if (!isManageable) return 'An owner or admin can raise the limit.';
  if (what === 'project' && isReachedAbove(limit)) return "Raise the organization's limit to continue.";
  const { value, maximum } = limit;
  if (maximum === null || (value !== null && value < maximum)) return 'Raise the limit to continue.';
  return what === 'organization' ? 'Request an increase to continue.' : "Raise the organization's limit to continue.";
}

const DECISIONS = { granted: 'was granted', declined: 'was declined' } as const;

/** A requested increase, and the operator's answer. */
function Increase({ increase: { limit, value, state, asked_at, decided_at, answer } }: { increase: LimitIncrease }) {
  const wanted = formatLimit(limit, value);
  return (
    <Box role="group" aria-label={`Increase of ${WORDS[limit].name}`} mt="3" ps="3" borderStartWidth="2px">
      {state === 'pending' ? (
        <Text>
          An increase to <span>{wanted}</span> was requested <Age at={asked_at} />. It's awaiting an answer.
        </Text>
      ) : (
        <Text>
          The increase to <span>{`${wanted} ${DECISIONS[state]}`}</span> <Age at={decided_at ?? asked_at} />.
        </Text>
      )}
      {answer === '' ? null : (
        <Text color="fg.muted" whiteSpace="pre-line" overflowWrap="anywhere">
          “<bdi>{answer}</bdi>”
        </Text>
      )}
    </Box>
  );
}
