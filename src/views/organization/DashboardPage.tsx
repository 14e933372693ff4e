import { Box, Button, Flex, Heading, SimpleGrid } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Folder, Plus } from 'lucide-react';
import type { Dashboard as Figures } from '#contract/dashboard.ts';
import type { Membership } from '#contract/organizations.ts';
import type { DashboardActor } from '#machines/workspace/dashboard/machine.ts';
import { AddFunds } from '../ui/billing/AddFunds.tsx';
import { BudgetReached } from '../ui/limits/BudgetReached.tsx';
import { Notice } from '../ui/Notice.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { Figure } from '../ui/Figure.tsx';
import { Page } from '../ui/Page.tsx';
import { useMay } from '../ui/rights.ts';
import { useMembership, useWorkspace } from '../ui/state.ts';
import { formatBalance, formatCost, formatCount } from '../ui/figures.ts';
import { FirstSteps } from './FirstSteps.tsx';
import { MonthFigures } from '../ui/usage/MonthFigures.tsx';
import { MonthChart } from './MonthChart.tsx';
import { OrganizationName } from './OrganizationName.tsx';
import { ProjectCards } from './ProjectCards.tsx';
import { QuickLinks } from './QuickLinks.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { Waiting } from '../ui/Waiting.tsx';

/** An organization's home: usage this month, projects, links; a newcomer's first steps (ORG-04). */
export function DashboardPage() {
  const membership = useMembership();
  const actor = useSelector(useWorkspace(), (snapshot) => snapshot.children.organization);
  return membership ? <Dashboard membership={membership} actor={actor} /> : null;
}

function Dashboard({ membership, actor }: { membership: Membership; actor: DashboardActor | undefined }) {
  const { organization, projects } = membership;
  const workspace = useWorkspace();
  const figures = useSelector(actor, (snapshot) => snapshot?.context.figures ?? null);
  const details = useSelector(actor, (snapshot) => snapshot?.context.projects);
  // Show everything at once: the figures would push down what loads earlier.
  const isOpening = useSelector(actor, (snapshot) => snapshot?.hasTag('loading') && snapshot.context.failure === null);
  const create = () => workspace.send({ type: 'project.create.requested' });
  const mayCreate = useMay('projects.create');
  return (
    <Page
      heading={organization.name}
      intro={<OrganizationName organization={organization} dashboard={actor} />}
      actions={
        projects.length > 0 && mayCreate ? (
          <Button onClick={create}>
            <Plus size={16} aria-hidden />
            Create project
          </Button>
        ) : null
      }
    >
      {isOpening || !actor ? (
        <Waiting height="416px" label="Loading this month's usage" />
      ) : (
        <Flex direction="column" gap="8">
          {figures?.is_exhausted ? <Exhausted /> : null}
          {figures?.is_budget_reached ? <BudgetReached orgUuid={organization.uuid} /> : null}
          {projects.length === 0 ? <NoProject mayCreate={mayCreate} onCreate={create} /> : null}
          {figures ? <FirstSteps membership={membership} figures={figures} /> : null}
          {figures ? <Now orgUuid={organization.uuid} figures={figures} /> : null}
          <ThisMonth actor={actor} />
          {figures && !isFresh(figures) ? <MonthChart dashboard={actor} /> : null}
          {projects.length > 0 || (figures?.deleted_projects ?? []).length > 0 ? (
            <ProjectCards membership={membership} figures={figures} details={details ?? []} />
          ) : null}
          <QuickLinks orgUuid={organization.uuid} />
        </Flex>
      )}
    </Page>
  );
}

/** Says that the balance is empty, and what to do (BIX-06). */
const Exhausted = () => (
  <Notice tone="error" title="The balance of this organization is empty.">
    New requests are refused. <AddFunds />
  </Notice>
);

/** Whether the organization has transcribed nothing yet. */
const isFresh = ({ projects, totals }: Figures) =>
  totals.requests === 0 && projects.every(({ last_used_at }) => last_used_at === null);

function NoProject({ mayCreate, onCreate }: { mayCreate: boolean; onCreate: () => void }) {
  if (!mayCreate)
    return (
      <EmptyState icon={<Folder size={22} />} title="No projects yet">
        Usage appears here once someone creates a project.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={<Folder size={22} />}
      title="Create your first project"
      action={<Button onClick={onCreate}>Create project</Button>}
    >
      A project keeps recordings and transcriptions together. Once you have one, its playground turns a file or your
      microphone into text.
    </EmptyState>
  );
}

function ThisMonth({ actor }: { actor: DashboardActor }) {
  const { figures, failure } = useSelector(actor, ({ context }) => context);
  const hasFailed = useSelector(actor, (snapshot) => snapshot.hasTag('failed'));
  if (hasFailed)
    return (
      <FailureAlert failure={failure} title="This month's usage could not be loaded.">
        <RetryButton actor={actor} />
      </FailureAlert>
    );
  if (!figures) return <Waiting height="140px" label="Loading this month's usage" />;
  return <MonthFigures start={figures.period.start} totals={figures.totals} />;
}

/** The balance, for those who may see it, and the number of members. */
const Now = ({ orgUuid, figures: { balance_micros, members } }: { orgUuid: string; figures: Figures }) => (
  <Box as="section" aria-labelledby="now">
    <Heading as="h2" id="now" mb="4" fontSize="lg" fontWeight="semibold">
      Now
    </Heading>
    <SimpleGrid as="dl" gap="4" columns={{ base: 2, lg: 4 }}>
      {balance_micros === null ? null : (
        <Figure name="Balance">
          <TextLink to={{ screen: 'billingOverview', orgUuid }} title={formatCost(balance_micros)}>
            {formatBalance(balance_micros)}
          </TextLink>
        </Figure>
      )}
      <Figure name="Members">{formatCount(members)}</Figure>
    </SimpleGrid>
  </Box>
);
