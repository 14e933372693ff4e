import { Button, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Logs as LogsIcon } from 'lucide-react';
import { isNarrowed, validView } from '#machines/workspace/logs/filter.ts';
import type { LogsActor } from '#machines/workspace/logs/machine.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { RetentionText } from '../ui/RetentionText.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { Page } from '../ui/Page.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useMayOpen } from '../ui/rights.ts';
import { useRoute, useWorkspace } from '../ui/state.ts';
import { AddressNotice } from '../ui/usage/BadAddressNotice.tsx';
import { LogDownloadButtons, LogDownloadOutcome } from './LogDownload.tsx';
import { LogDrawer } from './LogDrawer.tsx';
import { LogErrors } from './LogErrors.tsx';
import { LogFilters } from './LogFilters.tsx';
import { Announcement, LogList } from './LogList.tsx';
import { TableWaiting } from './LogTable.tsx';

/** The ended requests of a project (PRJ-05). */
export function LogsPage() {
  const actor = useSelector(useWorkspace(), ({ children }) => children.logs);
  return (
    <Page
      wide
      heading="Logs"
      intro={
        <span>
          Every request that ended or was refused, newest first.
          <RetentionText of="usage" />
        </span>
      }
      actions={actor ? <LogDownloadButtons actor={actor} /> : null}
    >
      {actor ? <Contents actor={actor} /> : null}
    </Page>
  );
}

function Contents({ actor }: { actor: LogsActor }) {
  return (
    <Flex direction="column" gap="6">
      <BadAddress actor={actor} />
      <LogDownloadOutcome actor={actor} />
      <LogFilters actor={actor} />
      <Requests actor={actor} />
      <LogDrawer actor={actor} />
    </Flex>
  );
}

function BadAddress({ actor }: { actor: LogsActor }) {
  const isBad = useSelector(actor, ({ context }) => context.isBad);
  if (!isBad) return null;
  return <AddressNotice>The address asks for a filter or a request that doesn't exist. It was left out.</AddressNotice>;
}

/** The list and what stands in its place. It stays while they come and go, so it can take over their focus. */
function Requests({ actor }: { actor: LogsActor }) {
  return (
    <Flex
      role="group"
      aria-label="Requests"
      data-rows="Requests"
      tabIndex={-1}
      outline="none"
      direction="column"
      gap="6"
      minW="0"
    >
      <LogErrors actor={actor} />
      <Shown actor={actor} />
      <Announcement actor={actor} />
    </Flex>
  );
}

function Shown({ actor }: { actor: LogsActor }) {
  const failure = useSelector(actor, ({ context }) => context.failure);
  const status = useSelector(actor, (snapshot) => {
    if (snapshot.hasTag('loading')) return 'loading';
    if (snapshot.hasTag('failed')) return 'failed';
    return snapshot.context.rows.length === 0 ? 'empty' : 'listed';
  });
  if (status === 'loading') return <TableWaiting />;
  if (status === 'failed')
    return (
      <FailureAlert failure={failure} title="The requests could not be loaded.">
        <RetryButton actor={actor} />
      </FailureAlert>
    );
  return (
    <LogList actor={actor} isEmpty={status === 'empty'}>
      <Nothing actor={actor} />
    </LogList>
  );
}

function Nothing({ actor }: { actor: LogsActor }) {
  const route = useRoute();
  const mayTranscribe = useMayOpen('playground');
  const hasFilters = useSelector(actor, ({ context }) => isNarrowed(validView(context.view)));
  if (route.screen !== 'logs') return null;
  const { orgUuid, projectUuid } = route;
  if (hasFilters)
    return (
      <EmptyState
        icon={<LogsIcon size={22} />}
        title="No matching requests"
        action={
          <Button variant="outline" onClick={() => actor.send({ type: 'filters.cleared' })}>
            Clear filters
          </Button>
        }
      >
        Change a filter, or choose a longer period.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={<LogsIcon size={22} />}
      title="No requests in this period"
      action={
        mayTranscribe ? (
          <Button asChild>
            <ScreenLink to={{ screen: 'playground', orgUuid, projectUuid, mode: 'async' }} borderRadius="l2">
              Open the playground
            </ScreenLink>
          </Button>
        ) : null
      }
    >
      <Text>Transcriptions and live sessions are listed here once they end or are refused.</Text>
    </EmptyState>
  );
}
