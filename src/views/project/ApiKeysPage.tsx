import { Box, Button, Table, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { KeyRound, Plus } from 'lucide-react';
import type { ApiKey } from '#contract/api-keys.ts';
import type { ApiKeysActor } from '#machines/workspace/apiKeys/machine.ts';
import { inOrder, KEY_COLUMNS, type KeyColumn } from '#machines/workspace/apiKeys/order.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { Page } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { useSettings, useWorkspace, useZone } from '../ui/state.ts';
import { Age } from '../ui/Age.tsx';
import { formatDay, formatMoment } from '../ui/format.ts';
import { CREATE_KEY_ID, createKeyButton } from '../../behaviours/createKeyButton.ts';
import { KeyDialogs } from './KeyDialogs.tsx';
import { CardTable } from '../ui/CardTable.tsx';
import { Waiting } from '../ui/Waiting.tsx';

/** The API keys of a project: create, show once, list masked, revoke (PRJ-03). */
export function ApiKeysPage() {
  const keys = useSelector(useWorkspace(), (snapshot) => snapshot.children.apiKeys);
  const { links } = useSettings();
  return (
    <Page
      heading="API keys"
      intro={
        <span>
          Use these keys to call the API. See the{' '}
          <Box
            as="a"
            {...{ href: links.apiReference }}
            color="brand.fg"
            textDecoration="underline"
            textUnderlineOffset="3px"
          >
            API reference
          </Box>
          .
        </span>
      }
      actions={keys && <CreateButton keys={keys} />}
    >
      {keys && <Keys keys={keys} />}
      {keys && <KeyDialogs keys={keys} />}
      {keys && <RevokeDialog keys={keys} />}
    </Page>
  );
}

function CreateButton({ keys }: { keys: ApiKeysActor }) {
  const canCreate = useSelector(keys, (snapshot) => snapshot.can({ type: 'key.create.requested' }));
  return (
    // Not `disabled`: the button gets the focus while the list reloads.
    <Button id={CREATE_KEY_ID} aria-disabled={!canCreate} onClick={() => keys.send({ type: 'key.create.requested' })}>
      <Plus size={16} aria-hidden /> Create API key
    </Button>
  );
}

const TITLES: Readonly<Record<KeyColumn, string>> = {
  name: 'Name',
  created_at: 'Created',
  last_used_at: 'Last used',
  expires_at: 'Expires',
};

function Keys({ keys }: { keys: ApiKeysActor }) {
  const list = useSelector(keys, ({ context }) => context.keys);
  const order = useSelector(keys, ({ context }) => context.order);
  const isLoading = useSelector(keys, (snapshot) => snapshot.hasTag('loading'));
  const hasFailed = useSelector(keys, (snapshot) => snapshot.hasTag('failed'));
  const failure = useSelector(keys, ({ context }) => context.failure);
  if (hasFailed)
    return (
      <FailureAlert failure={failure} title="API keys could not be loaded.">
        <RetryButton actor={keys} />
      </FailureAlert>
    );
  if (isLoading && list.length === 0) return <Waiting height="160px" label="Loading the API keys" />;
  if (list.length === 0)
    return (
      <EmptyState title="No API keys yet" icon={<KeyRound size={22} />}>
        Create a key to call the API from your code.
      </EmptyState>
    );
  return (
    <Panel
      p="0"
      position="relative"
      overflowX="auto"
      tabIndex={0}
      role="region"
      aria-label="API keys"
      data-rows="API keys"
      focusRing="inside"
    >
      <CardTable
        aria-label="API keys"
        titles={['Name', 'Key', 'Created', 'Last used', 'Expires', 'Actions']}
        unseen={['Actions']}
        unsorted={['Key']}
        sorted={{ title: TITLES[order.column], how: order.direction }}
        onSort={(title) => {
          const column = KEY_COLUMNS.find((one) => TITLES[one] === title);
          if (column) keys.send({ type: 'column.chosen', column });
        }}
      >
        {inOrder(list, order).map((key) => (
          <KeyRow key={key.uuid} apiKey={key} onRevoke={() => keys.send({ type: 'revoke.requested', key })} />
        ))}
      </CardTable>
    </Panel>
  );
}

function KeyRow({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) {
  const zone = useZone();
  return (
    <Table.Row role="row" data-row={apiKey.uuid} bg="transparent">
      <Table.Cell role="rowheader" fontWeight="medium" maxWidth={{ lg: '240px' }} overflowWrap="anywhere">
        <bdi>{apiKey.name}</bdi>
      </Table.Cell>
      <Table.Cell
        role="cell"
        data-title="Key"
        className="notranslate"
        fontFamily="mono"
        fontSize="xs"
        whiteSpace="nowrap"
      >
        {apiKey.masked_key}
      </Table.Cell>
      <Table.Cell role="cell" data-title="Created">
        <Age at={apiKey.created_at} />
        {apiKey.created_by && (
          <Text fontSize="xs" color="fg.muted" maxWidth={{ lg: '200px' }} truncate title={apiKey.created_by}>
            <bdi>{apiKey.created_by}</bdi>
          </Text>
        )}
      </Table.Cell>
      <Table.Cell role="cell" data-title="Last used">
        {apiKey.last_used_at ? <Age at={apiKey.last_used_at} /> : 'Never'}
      </Table.Cell>
      <Table.Cell role="cell" data-title="Expires">
        {apiKey.expires_at ? (
          <chakra.time dateTime={apiKey.expires_at} title={formatMoment(apiKey.expires_at, zone)}>
            {formatDay(apiKey.expires_at, zone)}
          </chakra.time>
        ) : (
          'Never'
        )}
      </Table.Cell>
      <Table.Cell role="cell" textAlign={{ base: 'start', lg: 'end' }}>
        <Button
          size="sm"
          variant="ghost"
          colorPalette="red"
          ms={{ base: '-3.5', lg: '0' }}
          aria-label={`Revoke ${apiKey.name}`}
          onClick={onRevoke}
        >
          Revoke
        </Button>
      </Table.Cell>
    </Table.Row>
  );
}

function RevokeDialog({ keys }: { keys: ApiKeysActor }) {
  const isOpen = useSelector(keys, (snapshot) => snapshot.hasTag('confirming'));
  const name = useSelector(keys, ({ context }) => context.revoking?.name);
  return (
    <ConfirmDialog
      open={isOpen}
      title="Revoke this API key?"
      confirmLabel="Revoke"
      onConfirm={() => keys.send({ type: 'revoke.confirmed' })}
      onCancel={() => keys.send({ type: 'revoke.dismissed' })}
      finalFocus={() => (keys.getSnapshot().hasTag('revoking') ? createKeyButton() : null)}
    >
      <Text fontWeight="medium" color="fg">
        <bdi>{name}</bdi>
      </Text>
      <Text fontSize="sm" mt="1">
        Programs that use this key stop working immediately.
      </Text>
    </ConfirmDialog>
  );
}
