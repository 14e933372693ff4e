import { Button, SimpleGrid } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import { ChartColumn } from 'lucide-react';
import { hasUnbilledService, countUnknown } from '#machines/workspace/billing/reports/filter.ts';
import { requestOf, type ReportsActor, type ReportsSnapshot } from '#machines/workspace/billing/reports/machine.ts';
import { formatAudio, formatCost, formatCount } from '../ui/figures.ts';
import { DownloadButtons, DownloadOutcome, SPREADSHEET } from '../ui/Download.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Figure } from '../ui/Figure.tsx';
import { useHasPrices, useWorkspace } from '../ui/state.ts';
import { ChartPlaceholder } from '../ui/usage/LazyPlots.tsx';
import { AddressNotice, BadAddressNotice } from '../ui/usage/BadAddressNotice.tsx';
import { AFTER_CHART } from '../ui/usage/sizes.ts';
import { Reading } from '../ui/usage/Reading.tsx';
import { BillingPage } from './BillingPage.tsx';
import { ReportChart } from './ReportChart.tsx';
import { ReportFilters } from './ReportFilters.tsx';

/** What the projects of an organization cost over the period of the address (BIL-02). */
export function ReportsPage() {
  const actor = useSelector(useWorkspace(), ({ children }) => children.billingReports);
  return (
    <BillingPage intro="Usage and cost by project over time." actions={actor ? <DownloadButton actor={actor} /> : null}>
      {actor ? <Contents actor={actor} /> : null}
    </BillingPage>
  );
}

function DownloadButton({ actor }: { actor: ReportsActor }) {
  const download = useSelector(actor, ({ children }) => children.download);
  const table = useSelector(
    actor,
    (snapshot) =>
      snapshot.hasTag('charted') || snapshot.hasTag('empty')
        ? ({ of: 'report', orgUuid: snapshot.context.orgUuid, request: requestOf(snapshot.context) } as const)
        : null,
    (one, other) => JSON.stringify(one) === JSON.stringify(other),
  );
  return download ? <DownloadButtons download={download} formats={['xlsx']} tableAs={() => table} /> : null;
}

function Contents({ actor }: { actor: ReportsActor }) {
  const download = useSelector(actor, ({ children }) => children.download);
  const shown = useSelector(actor, shownText);
  return (
    <>
      <Notices actor={actor} />
      {download ? <DownloadOutcome download={download} texts={SPREADSHEET} /> : null}
      <ReportFilters actor={actor} />
      <Reading actor={actor} waiting={<ChartPlaceholder />} title="The report could not be loaded." shown={shown} />
      <Totals actor={actor} />
      <Nothing actor={actor} />
      <ReportChart actor={actor} />
    </>
  );
}

/** What is shown, for screen readers: 'Requests: 28'. */
function shownText(snapshot: ReportsSnapshot): string {
  if (snapshot.hasTag('empty')) return 'Nothing was used.';
  const { report } = snapshot.context;
  return report && snapshot.hasTag('charted') ? `Requests: ${formatCount(report.totals.requests)}` : '';
}

/** Says which parts of the address do not exist. */
function Notices({ actor }: { actor: ReportsActor }) {
  const { strangers, isOfAll, isOther } = useSelector(
    actor,
    ({ context }) => ({
      strangers: context.report === null ? 0 : countUnknown(context.view, context.report.projects),
      isOfAll: context.asked.length === 0,
      isOther: hasUnbilledService(context.view),
    }),
    shallowEqual,
  );
  const unknown =
    strangers === 1 ? "That project isn't in this organization." : `${strangers} projects aren't in this organization.`;
  return (
    <>
      <BadAddressNotice actor={actor} />
      {strangers > 0 ? (
        <AddressNotice>{`${unknown} ${isOfAll ? 'Showing all projects.' : 'Showing the others.'}`}</AddressNotice>
      ) : null}
      {isOther ? (
        <AddressNotice>The address asks for a service that isn't billed. Transcription is shown.</AddressNotice>
      ) : null}
    </>
  );
}

function Totals({ actor }: { actor: ReportsActor }) {
  const hasPrices = useHasPrices();
  const totals = useSelector(actor, (snapshot) =>
    snapshot.hasTag('charted') ? snapshot.context.report?.totals : null,
  );
  if (!totals) return null;
  return (
    <SimpleGrid as="dl" aria-label="Totals" gap="4" columns={{ base: 2, md: 3 }} order={AFTER_CHART}>
      {hasPrices ? <Figure name="Total cost">{formatCost(totals.cost_micros)}</Figure> : null}
      <Figure name="Requests">{formatCount(totals.requests)}</Figure>
      <Figure name="Audio">{formatAudio(totals.audio_ms)}</Figure>
    </SimpleGrid>
  );
}

function Nothing({ actor }: { actor: ReportsActor }) {
  const isEmpty = useSelector(actor, (snapshot) => snapshot.hasTag('empty'));
  const isNarrowed = useSelector(actor, ({ context }) => context.asked.length > 0);
  if (!isEmpty) return null;
  return (
    <EmptyState
      icon={<ChartColumn size={22} />}
      title="Nothing was used in this period"
      action={
        isNarrowed ? (
          <Button variant="outline" onClick={() => actor.send({ type: 'projects.cleared' })}>
            Show all projects
          </Button>
        ) : null
      }
    >
      {isNarrowed
        ? 'The projects you chose had no requests. Choose others, or another period.'
        : 'No project in this organization had any requests. Choose another period.'}
    </EmptyState>
  );
}
