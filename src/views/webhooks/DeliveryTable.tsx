import { Badge, Table, chakra } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import type { RefCallback } from 'react';
import type { DeliveryState } from '#contract/webhooks.ts';
import type { Zone } from '#machines/root/preferences/actors.ts';
import type { WebhooksRoute } from '#machines/shared/route.ts';
import type { WebhookItem } from '#machines/workspace/webhooks/actors.ts';
import type { DeliveriesActor } from '#machines/workspace/webhooks/list.ts';
import { routeShowing, type WebhooksActor } from '#machines/workspace/webhooks/machine.ts';
import { LIST_ITSELF } from '#machines/shared/pagedList/context.ts';
import { focusRow } from '../../behaviours/rowFocus.ts';
import { formatCount } from '../ui/figures.ts';
import { formatMoment, formatTime, ZONE_NAMES } from '../ui/format.ts';
import { CardTable, None, WaitingTable } from '../ui/CardTable.tsx';
import { Panel } from '../ui/Panel.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useZone } from '../ui/state.ts';
import { Due } from './Due.tsx';
import { outcomeOf, STATE_NAMES } from './words.ts';

const createdTitle = (zone: Zone): string => `Created (${ZONE_NAMES[zone]})`;
const useTitles = () => [createdTitle(useZone()), 'Address', 'State', 'Last attempt', 'Attempts'];
/** The address column takes the width that the others leave. */
const ADDRESS = { width: { lg: 'full' }, maxWidth: { lg: '0' }, truncate: { lg: true } } as const;

/** Webhooks as rows that link to their details. */
export function DeliveryTable({ actor, list }: { actor: WebhooksActor; list: DeliveriesActor }) {
  const rows = useSelector(list, ({ context }) => context.items);
  const focusId = useSelector(list, ({ context }) => context.focusId);
  const base = useSelector(actor, ({ context }) => routeShowing(context), shallowEqual);
  const isFocused = (id: string, index: number) => (focusId === LIST_ITSELF ? index === 0 : id === focusId);
  const takeFocus = (row: HTMLElement | null) => {
    if (!row) return;
    focusRow(row);
    list.send({ type: 'focus.placed' });
  };
  return (
    <Panel p="0" overflowX="auto" role="region" aria-label="Webhooks" tabIndex={0} focusRing="inside">
      <CardTable aria-label="Webhooks" titles={useTitles()}>
        {rows.map((delivery, index) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            to={{ ...base, webhook: delivery.id }}
            rowRef={isFocused(delivery.id, index) ? takeFocus : undefined}
          />
        ))}
      </CardTable>
    </Panel>
  );
}

const PALETTES: Readonly<Record<DeliveryState, string>> = { waiting: 'gray', delivered: 'green', failed: 'red' };

export const StateBadge = ({ state }: { state: DeliveryState }) => (
  <Badge variant="subtle" justifySelf="start" colorPalette={PALETTES[state]}>
    {STATE_NAMES[state]}
  </Badge>
);

type RowProps = { delivery: WebhookItem; to: WebhooksRoute; rowRef: RefCallback<HTMLElement> | undefined };

function DeliveryRow({ delivery, to, rowRef }: RowProps) {
  const zone = useZone();
  const { id, created_at, address, state, tries, next_try_at } = delivery;
  return (
    <Table.Row role="row" ref={rowRef} data-row={id} position="relative" bg="transparent" _hover={{ bg: 'bg.subtle' }}>
      <Table.Cell role="rowheader" data-title={createdTitle(zone)} whiteSpace={{ lg: 'nowrap' }}>
        {/* The link's area covers the whole row. */}
        <ScreenLink to={to} isOfQuery fontWeight="medium" _after={{ content: '""', position: 'absolute', inset: '0' }}>
          <chakra.time dateTime={created_at} title={formatMoment(created_at, zone)}>
            {formatTime(created_at, zone)}
          </chakra.time>
        </ScreenLink>
      </Table.Cell>
      <Table.Cell role="cell" data-title="Address" overflowWrap="anywhere" {...ADDRESS}>
        <bdi title={address}>{address === '' ? <None /> : address}</bdi>
      </Table.Cell>
      <Table.Cell role="cell" data-title="State" data-end>
        <StateBadge state={state} />
      </Table.Cell>
      <Table.Cell role="cell" data-title="Last attempt" whiteSpace={{ lg: 'nowrap' }}>
        {outcomeOf(delivery) ?? <None />}
      </Table.Cell>
      <Table.Cell role="cell" data-title="Attempts" whiteSpace={{ lg: 'nowrap' }} fontVariantNumeric="tabular-nums">
        <span>{formatCount(tries)}</span>
        {state === 'waiting' ? (
          <>
            <span>{next_try_at === null ? ' · under way' : ' · next '}</span>
            {next_try_at === null ? null : <Due at={next_try_at} />}
          </>
        ) : null}
      </Table.Cell>
    </Table.Row>
  );
}

/** A placeholder for the table while it loads. */
export const TableWaiting = () => <WaitingTable label="Loading the webhooks" titles={useTitles()} rows={6} />;
