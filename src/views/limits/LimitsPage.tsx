import { Button, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { LimitsActor } from '#machines/workspace/limits/machine.ts';
import { canClear } from '#machines/workspace/limits/select.ts';
import { CardTable } from '../ui/CardTable.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { Page } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { Waiting } from '../ui/Waiting.tsx';
import { useHasPrices, useWorkspace } from '../ui/state.ts';
import { LimitDialogs } from './LimitDialogs.tsx';
import { LimitRow } from './LimitRow.tsx';

/** The limits of an organization and their usage (ORG-07). */
export function OrganizationLimitsPage() {
  const actor = useSelector(useWorkspace(), (snapshot) => snapshot.children.organizationLimits);
  return (
    <Page heading="Organization limits" intro="Limits shared by all projects in this organization.">
      {actor ? <Limits actor={actor} /> : null}
    </Page>
  );
}

/** The limits of a project within its organization, and their usage (PRJ-07). */
export function ProjectLimitsPage() {
  const actor = useSelector(useWorkspace(), (snapshot) => snapshot.children.projectLimits);
  const orgUuid = useSelector(actor, (snapshot) => snapshot?.context.orgUuid);
  return (
    <Page
      heading="Project limits"
      intro={
        <span>
          What this project can use, within the{' '}
          {orgUuid === undefined ? (
            <span>limits of the organization</span>
          ) : (
            <TextLink to={{ screen: 'organizationLimits', orgUuid }}>limits of the organization</TextLink>
          )}
          <span>.</span>
        </span>
      }
      actions={actor && <ClearButton actor={actor} />}
    >
      {actor ? <Limits actor={actor} /> : null}
    </Page>
  );
}

function ClearButton({ actor }: { actor: LimitsActor }) {
  const isOffered = useSelector(actor, (snapshot) => snapshot.hasTag('manageable') && canClear(snapshot.context));
  if (!isOffered) return null;
  return (
    <Button variant="outline" onClick={() => actor.send({ type: 'clearing.requested' })}>
      Use the organization's limits
    </Button>
  );
}

const TITLES = ['Name', 'Limit', 'Used', 'Set by'];
const ACTIONS = 'Actions';
const HEAD_HEIGHT = 45;
const ROW_HEIGHT = 77;

function Limits({ actor }: { actor: LimitsActor }) {
  const { limits, failure } = useSelector(actor, ({ context }) => context);
  const isLoading = useSelector(actor, (snapshot) => snapshot.hasTag('loading'));
  const hasFailed = useSelector(actor, (snapshot) => snapshot.hasTag('failed'));
  const isOutdated = useSelector(actor, (snapshot) => snapshot.hasTag('outdated'));
  const isManageable = useSelector(actor, (snapshot) => snapshot.hasTag('manageable'));
  const hasPrices = useHasPrices();
  const retry = <RetryButton actor={actor} />;
  const shown = limits.filter(({ name }) => hasPrices || name !== 'budget_micros');
  if (hasFailed)
    return (
      <FailureAlert failure={failure} title="The limits could not be loaded.">
        {retry}
      </FailureAlert>
    );
  if (isLoading)
    return <Waiting height={`${HEAD_HEIGHT + (hasPrices ? 6 : 5) * ROW_HEIGHT}px`} label="Loading the limits" />;
  return (
    <>
      {isOutdated ? (
        <Flex direction="column" mb="4">
          <FailureAlert failure={failure} title="Current usage couldn't be loaded.">
            {retry}
          </FailureAlert>
        </Flex>
      ) : null}
      {isManageable ? null : (
        <Text mb="4" fontSize="sm" color="fg.muted">
          Only owners and admins can change limits.
        </Text>
      )}
      <Panel p="0" overflow="hidden" role="group" aria-label="Limits" data-rows="Limits" tabIndex={-1} outline="none">
        <CardTable aria-label="Limits" titles={isManageable ? [...TITLES, ACTIONS] : TITLES} unseen={[ACTIONS]}>
          {shown.map((limit) => (
            <LimitRow key={limit.name} actor={actor} limit={limit} isManageable={isManageable} />
          ))}
        </CardTable>
      </Panel>
      <LimitDialogs actor={actor} />
    </>
  );
}
