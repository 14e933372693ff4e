import { Box, Flex, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { CircleCheck, CircleX, Clock } from 'lucide-react';
import type { WebhookDelivery, WebhookTry } from '#contract/webhooks.ts';
import type { DeliveryActor } from '#machines/workspace/webhooks/delivery/machine.ts';
import type { DeliveriesActor } from '#machines/workspace/webhooks/list.ts';
import type { WebhooksActor } from '#machines/workspace/webhooks/machine.ts';
import { formatMs } from '../ui/figures.ts';
import { formatMoment, formatZoned } from '../ui/format.ts';
import { CopyableId } from '../ui/CopyableId.tsx';
import { type Fact, FactList, Part } from '../ui/Facts.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { ReachableButton } from '../ui/ReachableButton.tsx';
import { useMayOpen } from '../ui/rights.ts';
import { RetryButton } from '../ui/RetryButton.tsx';
import { SideDrawer } from '../ui/SideDrawer.tsx';
import { useRoute, useZone } from '../ui/state.ts';
import { TextLink } from '../ui/TextLink.tsx';
import { Waiting } from '../ui/Waiting.tsx';
import { StateBadge } from './DeliveryTable.tsx';
import { Due } from './Due.tsx';
import { hiddenText, outcomeOf, reasonOf } from './words.ts';

/** The webhook that the address names, with its attempts. */
export function DeliveryDrawer({ actor }: { actor: WebhooksActor }) {
  const isOpen = useSelector(actor, (snapshot) => snapshot.hasTag('opened'));
  const delivery = useSelector(actor, ({ children }) => children.delivery);
  const list = useSelector(actor, ({ children }) => children.list);
  return (
    <SideDrawer title="Webhook" open={isOpen} onClose={() => actor.send({ type: 'webhook.closed' })}>
      {delivery && list ? <Delivery actor={delivery} list={list} /> : null}
    </SideDrawer>
  );
}

/** Shows the list's data of the webhook until its details are loaded. */
function Delivery({ actor, list }: { actor: DeliveryActor; list: DeliveriesActor }) {
  const id = useSelector(actor, ({ context }) => context.id);
  const row = useSelector(list, ({ context }) => context.items.find((item) => item.id === id));
  const delivery = useSelector(actor, ({ context }) => context.delivery) ?? row;
  const tries = useSelector(actor, ({ context }) => context.tries);
  const failure = useSelector(actor, ({ context }) => context.failure);
  const isLoading = useSelector(actor, (snapshot) => snapshot.hasTag('loading'));
  const hasFailed = useSelector(actor, (snapshot) => snapshot.hasTag('failed') || snapshot.hasTag('outdated'));
  const isMissing = useSelector(actor, (snapshot) => snapshot.hasTag('missing'));
  if (isMissing) return <Text>This project has no such webhook, or it is no longer kept.</Text>;
  return (
    <Flex direction="column" gap="6">
      {delivery ? <Facts delivery={delivery} /> : null}
      {delivery ? <SendAgain actor={actor} delivery={delivery} /> : null}
      {isLoading ? <Waiting height={delivery ? '96px' : '360px'} label="Loading the webhook" /> : null}
      <FailureAlert failure={hasFailed ? failure : null} title="The webhook could not be loaded.">
        <RetryButton actor={actor} />
      </FailureAlert>
      {delivery && tries ? <Tries delivery={delivery} tries={tries} /> : null}
    </Flex>
  );
}

function Facts({ delivery }: { delivery: WebhookDelivery }) {
  const zone = useZone();
  const { transcription_id, address, state, created_at, next_try_at } = delivery;
  const facts: Fact[] = [
    ['State', <StateBadge key="state" state={state} />],
    ['Address', <bdi key="address">{address === '' ? '—' : address}</bdi>],
    ['Transcription', <TranscriptionId key="id" id={transcription_id} />],
    ['Created', formatMoment(created_at, zone)],
    ...(state === 'waiting'
      ? [['Next attempt', next_try_at === null ? 'Under way' : <Due key="next" at={next_try_at} />] as const]
      : []),
  ];
  return <FactList label="Webhook" facts={facts} />;
}

/** Leads to the transcription, for a role that may open the playground. */
function TranscriptionId({ id }: { id: string }) {
  const route = useRoute();
  const mayOpen = useMayOpen('playground');
  return (
    <Flex align="center" gap="3" wrap="wrap" minW="0">
      <CopyableId id={id} label="transcription ID" />
      {route.screen === 'webhooks' && mayOpen ? (
        <TextLink
          to={{
            screen: 'playground',
            orgUuid: route.orgUuid,
            projectUuid: route.projectUuid,
            mode: 'async',
            transcriptionId: id,
          }}
        >
          Open in the playground
        </TextLink>
      ) : null}
    </Flex>
  );
}

/** A button that sends the webhook again, or the reason why there is none. */
function SendAgain({
  actor,
  delivery: { state, can_be_sent_again },
}: {
  actor: DeliveryActor;
  delivery: WebhookDelivery;
}) {
  const mayManage = useSelector(actor, ({ context }) => context.mayManage);
  const canSend = useSelector(actor, (snapshot) => snapshot.can({ type: 'send.requested' }));
  const isSending = useSelector(actor, (snapshot) => snapshot.hasTag('sending'));
  const refusal = useSelector(actor, ({ context }) => context.refusal);
  return (
    <Box>
      <FailureAlert failure={refusal} title="The webhook was not sent again." />
      <Flex mt={refusal ? '3' : '0'} gap="3" align="center" wrap="wrap">
        {mayManage ? (
          <ReachableButton
            size="sm"
            variant="outline"
            can={canSend}
            busy={isSending}
            onClick={() => actor.send({ type: 'send.requested' })}
          >
            {isSending ? 'Sending…' : 'Send again'}
          </ReachableButton>
        ) : null}
        <Text fontSize="sm" color="fg.muted" flex="1 1 200px">
          {mayManage
            ? hintOf({ state, can_be_sent_again })
            : 'An owner or admin of the organization can send it again.'}
        </Text>
      </Flex>
    </Box>
  );
}

function hintOf({ state, can_be_sent_again }: Pick<WebhookDelivery, 'state' | 'can_be_sent_again'>): string {
  if (state === 'waiting') return 'It is retried automatically for about a day. After that, you can send it again.';
  return can_be_sent_again
    ? 'Sent with the same webhook-id and a new signature.'
    : "It can't be sent again: its address or header can no longer be read.";
}

function Tries({ delivery, tries }: { delivery: WebhookDelivery; tries: readonly WebhookTry[] }) {
  const hidden = hiddenText(delivery);
  return (
    <Part title="Attempts">
      {tries.length === 0 ? (
        <Text fontSize="sm" color="fg.muted">
          No attempts yet.
        </Text>
      ) : (
        <Box as="ol" listStyleType="none" aria-label="Attempts">
          {tries.map((one, index) => (
            <TryRow key={`${one.started_at} ${index}`} one={one} />
          ))}
        </Box>
      )}
      {hidden ? (
        <Text fontSize="sm" color="fg.muted" mt="2">
          {hidden}
        </Text>
      ) : null}
    </Part>
  );
}

function TryRow({ one }: { one: WebhookTry }) {
  const zone = useZone();
  const outcome = outcomeOf(one);
  const reason = reasonOf(one);
  return (
    <Flex as="li" gap="3" py="2.5" borderBottomWidth="1px" _last={{ borderBottomWidth: '0' }}>
      <Box flexShrink="0" mt="0.5" aria-hidden {...SIGN_COLOURS[signOf(one)]}>
        {SIGNS[signOf(one)]}
      </Box>
      <Box flex="1" minW="0" fontSize="sm">
        <Flex wrap="wrap" justify="space-between" columnGap="4">
          <Text as="span" fontWeight="medium">
            {outcome ?? 'Under way'}
          </Text>
          {one.duration_ms === null ? null : (
            <Text as="span" color="fg.muted" fontVariantNumeric="tabular-nums">
              {formatMs(one.duration_ms)}
            </Text>
          )}
        </Flex>
        <Text color="fg.muted">
          <chakra.time dateTime={one.started_at} title={formatMoment(one.started_at, zone)}>
            {formatZoned(one.started_at, zone)}
          </chakra.time>
        </Text>
        {reason ? <Text mt="0.5">{reason}</Text> : null}
      </Box>
    </Flex>
  );
}

type Sign = 'received' | 'failed' | 'underWay';
const SIGNS = { received: <CircleCheck size={16} />, failed: <CircleX size={16} />, underWay: <Clock size={16} /> };
const SIGN_COLOURS = {
  received: { color: 'fg.success' },
  failed: { color: 'fg.error' },
  underWay: { color: 'fg.muted' },
};

const signOf = (one: WebhookTry): Sign =>
  one.failure !== null ? 'failed' : one.status_code === null ? 'underWay' : 'received';
