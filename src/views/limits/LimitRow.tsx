import { Badge, Box, Button, Flex, Heading, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { Limit, LimitIncrease } from '#contract/limits.ts';
import type { LimitsActor } from '#machines/workspace/limits/machine.ts';
import { canAsk, increaseOf, isReachedAbove } from '#machines/workspace/limits/select.ts';
import { shareOf } from '#machines/shared/limitShare.ts';
import { Age } from '../ui/Age.tsx';
import { NEARLY, UsageMeter } from './UsageMeter.tsx';
import { cappedText, changeTitle, formatLimit, reservedText, sourceText, usedText, WORDS } from '../ui/limits/words.ts';

type Props = { actor: LimitsActor; limit: Limit; isManageable: boolean };

/** A limit: its value and source, what is used, and buttons to change or raise it. */
export function LimitRow({ actor, limit, isManageable }: Props) {
  const context = useSelector(actor, (snapshot) => snapshot.context);
  const { name, value } = limit;
  const words = WORDS[name];
  const increase = increaseOf(context, name);
  const capped = cappedText(limit);
  return (
    <Box
      as="li"
      data-row={name}
      display="grid"
      gridTemplateColumns={{ base: 'minmax(0, 1fr)', md: 'minmax(0, 1fr) 210px' }}
      columnGap="8"
      rowGap="3"
      px={{ base: '4', md: '6' }}
      py="5"
      borderBottomWidth="1px"
      _last={{ borderBottomWidth: 0 }}
    >
      <Box minW="0">
        <Flex align="center" wrap="wrap" columnGap="2" rowGap="1">
          <Heading as="h2" fontSize="md" fontWeight="semibold">
            {words.name}
          </Heading>
          <State limit={limit} />
        </Flex>
        <Text mt="0.5" mb="3" fontSize="sm" color="fg.muted">
          {words.text}
        </Text>
        <UsageMeter limit={limit} />
        <Text mt="2" fontSize="sm" fontVariantNumeric="tabular-nums">
          {usedText(limit) + reservedText(limit)}
        </Text>
        {limit.is_reached ? (
          <Text mt="1" fontSize="sm" color="fg.error">
            {`${isReachedAbove(limit) ? 'The organization has reached its limit. ' : ''}${words.refused} ${remedyOf(context.what, limit, isManageable)}`}
          </Text>
        ) : null}
        {increase ? <Increase increase={increase} /> : null}
      </Box>
      <Flex direction="column" align={{ base: 'flex-start', md: 'flex-end' }} textAlign={{ md: 'end' }} gap="1">
        <Text fontWeight="semibold" fontVariantNumeric="tabular-nums">
          {value === null ? 'No limit' : formatLimit(name, value)}
        </Text>
        <Text fontSize="sm" color="fg.muted">
          {sourceText(context.what, limit)}
        </Text>
        {capped ? (
          <Text fontSize="sm" color="fg.muted">
            {capped}
          </Text>
        ) : null}
        {isManageable ? (
          <Flex mt="2" gap="2" wrap="wrap" justify={{ md: 'flex-end' }}>
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
        ) : null}
      </Flex>
    </Box>
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
    <Box
      role="group"
      aria-label={`Increase of ${WORDS[limit].name}`}
      mt="3"
      ps="3"
      borderStartWidth="2px"
      fontSize="sm"
    >
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
