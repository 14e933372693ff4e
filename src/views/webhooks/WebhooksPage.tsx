import { Box, Button, Flex } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Webhook } from 'lucide-react';
import { DELIVERY_KEPT_DAYS, DeliveryState } from '#contract/webhooks.ts';
import type { DeliveriesActor } from '#machines/workspace/webhooks/list.ts';
import type { WebhooksActor } from '#machines/workspace/webhooks/machine.ts';
import { isBadAddress, shownOf } from '#machines/workspace/webhooks/view.ts';
import { Added, Failed, More } from '../ui/PagedItems.tsx';
import { Choice } from '../ui/Choice.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Page } from '../ui/Page.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { useWorkspace } from '../ui/state.ts';
import { AddressNotice } from '../ui/usage/BadAddressNotice.tsx';
import { DeliveryDrawer } from './DeliveryDrawer.tsx';
import { DeliveryTable, TableWaiting } from './DeliveryTable.tsx';
import { NoWebhooks } from './NoWebhooks.tsx';
import { SecretPanel } from './SecretPanel.tsx';
import { STATE_NAMES } from './words.ts';

/** The deliveries of a project's webhooks, and their signing secret (WHK-08). */
export function WebhooksPage() {
  const actor = useSelector(useWorkspace(), ({ children }) => children.webhooks);
  return (
    <Page
      wide
      heading="Webhooks"
      intro={`Sent to your server when transcriptions end. Deliveries are kept for ${DELIVERY_KEPT_DAYS} days after the last attempt.`}
    >
      {actor ? <Contents actor={actor} /> : null}
    </Page>
  );
}

function Contents({ actor }: { actor: WebhooksActor }) {
  const list = useSelector(actor, ({ children }) => children.list);
  const secret = useSelector(actor, ({ children }) => children.secret);
  return (
    <Flex direction="column" gap="6">
      {secret ? <SecretPanel actor={secret} /> : null}
      <BadAddress actor={actor} />
      <Box>
        <States actor={actor} />
        {list ? <Deliveries actor={actor} list={list} /> : null}
      </Box>
      <DeliveryDrawer actor={actor} />
    </Flex>
  );
}

function BadAddress({ actor }: { actor: WebhooksActor }) {
  const isBad = useSelector(actor, ({ context }) => isBadAddress(context.view));
  if (!isBad) return null;
  return <AddressNotice>The address asks for something that doesn't exist. It was left out.</AddressNotice>;
}

function States({ actor }: { actor: WebhooksActor }) {
  const chosen = useSelector(actor, ({ context }) => shownOf(context.view).state ?? null);
  return (
    <Flex role="group" aria-label="State" gap="2" wrap="wrap" mb="4">
      {[null, ...DeliveryState.options].map((state) => (
        <Choice key={state} isChosen={state === chosen} onChoose={() => actor.send({ type: 'state.chosen', state })}>
          {state === null ? 'All' : STATE_NAMES[state]}
        </Choice>
      ))}
    </Flex>
  );
}

function Deliveries({ actor, list }: { actor: WebhooksActor; list: DeliveriesActor }) {
  const isLoading = useSelector(list, (snapshot) => snapshot.hasTag('loading'));
  const hasRows = useSelector(list, ({ context }) => context.items.length > 0);
  const isEmpty = useSelector(list, (snapshot) => snapshot.hasTag('empty'));
  return (
    <Box role="group" aria-label="Deliveries" data-rows="Deliveries" tabIndex={-1} outline="none">
      <Outdated actor={actor} list={list} />
      {isLoading && !hasRows ? <TableWaiting /> : null}
      {isEmpty ? <Nothing actor={actor} /> : null}
      {hasRows ? <DeliveryTable actor={actor} list={list} /> : null}
      <Failed list={list} title="The webhooks could not be loaded." />
      <More list={list} />
      <Added list={list} />
      <Shown actor={actor} list={list} />
    </Box>
  );
}

/** Announces to screen readers what a chosen state shows, once it is loaded. */
function Shown({ actor, list }: { actor: WebhooksActor; list: DeliveriesActor }) {
  const state = useSelector(actor, ({ context }) => shownOf(context.view).state);
  const text = useSelector(list, (snapshot) => {
    if (snapshot.hasTag('loading') || snapshot.hasTag('failed')) return '';
    if (snapshot.hasTag('empty')) return '0 webhooks';
    return `${state === undefined ? 'All' : STATE_NAMES[state]} webhooks`;
  });
  return <output className="sr-only">{text}</output>;
}

/** Says that newer deliveries could not be loaded, unless the list itself reports a failure. */
function Outdated({ actor, list }: { actor: WebhooksActor; list: DeliveriesActor }) {
  const hasFailed = useSelector(list, (snapshot) => snapshot.hasTag('failed'));
  const failure = useSelector(actor, (snapshot) => (snapshot.hasTag('outdated') ? snapshot.context.failure : null));
  if (failure === null || hasFailed) return null;
  return (
    <Box mb="4">
      <FailureAlert failure={failure} title="The latest deliveries could not be loaded.">
        <RetryButton actor={actor} />
      </FailureAlert>
    </Box>
  );
}

const NONE: Readonly<Record<DeliveryState, string>> = {
  waiting: 'No webhooks are waiting',
  delivered: 'No webhooks were delivered',
  failed: 'No webhooks failed',
};

function Nothing({ actor }: { actor: WebhooksActor }) {
  const state = useSelector(actor, ({ context }) => shownOf(context.view).state);
  if (state === undefined) return <NoWebhooks />;
  return (
    <EmptyState
      icon={<Webhook size={22} />}
      title={NONE[state]}
      action={
        <Button variant="outline" onClick={() => actor.send({ type: 'state.chosen', state: null })}>
          Show all
        </Button>
      }
    />
  );
}
