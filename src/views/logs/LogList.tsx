import { Box, Button, Flex, Text } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import { ArrowUp } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { validView } from '#machines/workspace/logs/filter.ts';
import type { LogsActor } from '#machines/workspace/logs/machine.ts';
import { routeShowing } from '#machines/workspace/logs/setup.ts';
import { focusRow } from '../../behaviours/rowFocus.ts';
import { watchTop } from '../../behaviours/watchTop.ts';
import { SwitchField } from '../ui/SwitchField.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { Panel } from '../ui/Panel.tsx';
import { ZoneSwitch } from '../ui/ZoneSwitch.tsx';
import { LogTable } from './LogTable.tsx';
import { arrivalText, waitingText } from './words.ts';

type Props = {
  actor: LogsActor;
  isEmpty: boolean;
  /** Shown in place of the rows if there are none. */
  children: ReactNode;
};

/** The shown requests, with auto-refresh above and "Load more" below. */
export function LogList({ actor, isEmpty, children }: Props) {
  const mark = useMemo(
    () => watchTop((isAtTop) => actor.send({ type: isAtTop ? 'top.reached' : 'top.left' })),
    [actor],
  );
  return (
    <>
      <Box ref={mark} aria-hidden height="1px" />
      <AutoRefresh actor={actor} />
      <NewRequestsButton actor={actor} />
      {isEmpty ? children : <Rows actor={actor} />}
      <MoreButton actor={actor} />
    </>
  );
}

function AutoRefresh({ actor }: { actor: LogsActor }) {
  const isOn = useSelector(actor, ({ context }) => context.isLive);
  const canSwitch = useSelector(actor, (snapshot) =>
    snapshot.can({ type: 'live.switched', isLive: !snapshot.context.isLive }),
  );
  const failure = useSelector(actor, (snapshot) => (snapshot.hasTag('tailFailed') ? snapshot.context.failure : null));
  return (
    <>
      <Flex wrap="wrap" align="center" justify="space-between" columnGap="4" rowGap="2" mb="3">
        <ZoneSwitch />
        <SwitchField
          id="logs-live"
          label="Auto-refresh"
          isOn={isOn}
          isDisabled={!canSwitch}
          hint={canSwitch ? null : 'Clear the end time to watch new requests.'}
          onChange={(isLive) => actor.send({ type: 'live.switched', isLive })}
        />
      </Flex>
      {failure ? (
        <Box mb="3">
          <FailureAlert failure={failure} title="New requests could not be loaded.">
            <RetryButton actor={actor} />
          </FailureAlert>
        </Box>
      ) : null}
    </>
  );
}

/** A button for new requests. Takes no room, so that nothing moves when it appears. */
function NewRequestsButton({ actor }: { actor: LogsActor }) {
  const text = useSelector(actor, ({ context }) => waitingText(context));
  if (text === '') return null;
  return (
    <Flex position="sticky" top="20" height="0" zIndex="1" justify="center" overflow="visible">
      <Button size="sm" boxShadow="md" onClick={() => actor.send({ type: 'fresh.requested' })}>
        <ArrowUp size={16} aria-hidden /> <span>{text}</span>
      </Button>
    </Flex>
  );
}

function Rows({ actor }: { actor: LogsActor }) {
  const rows = useSelector(actor, ({ context }) => context.rows);
  const focusId = useSelector(actor, ({ context }) => context.focusId);
  const listRoute = useSelector(
    actor,
    ({ context }) => routeShowing({ ...context, view: validView(context.view) }),
    shallowEqual,
  );
  return (
    <Panel p="0" overflowX="auto" role="region" aria-label="Requests" tabIndex={0} focusRing="inside">
      <LogTable
        rows={rows}
        listRoute={listRoute}
        focusId={focusId}
        takeFocus={(row) => {
          if (!row) return;
          focusRow(row);
          actor.send({ type: 'focus.placed' });
        }}
      />
    </Panel>
  );
}

/** One button, also while loading and after a failure, so that it keeps the focus. */
function MoreButton({ actor }: { actor: LogsActor }) {
  const isLoading = useSelector(actor, (snapshot) => snapshot.hasTag('loadingMore'));
  const canLoad = useSelector(actor, (snapshot) => snapshot.can({ type: 'more.requested' }));
  const failure = useSelector(actor, (snapshot) => (snapshot.hasTag('moreFailed') ? snapshot.context.failure : null));
  if (!isLoading && !canLoad) return null;
  return (
    <Box mt="3">
      <FailureAlert failure={failure} title="More requests could not be loaded." />
      <Button
        size="sm"
        variant={failure === null ? 'ghost' : 'outline'}
        width="full"
        mt="2"
        aria-disabled={isLoading}
        onClick={() => actor.send({ type: 'more.requested' })}
      >
        {isLoading ? 'Loading…' : failure === null ? 'Load more' : 'Retry'}
      </Button>
    </Box>
  );
}

/** Announces to screen readers what is shown once it is loaded, and what arrives later. */
export function Announcement({ actor }: { actor: LogsActor }) {
  const text = useSelector(actor, (snapshot) => (snapshot.hasTag('shown') ? arrivalText(snapshot.context) : ''));
  return (
    <Text as="output" srOnly>
      {text}
    </Text>
  );
}
