import { useSelector } from '@xstate/react';
import { Table2 } from 'lucide-react';
import { requestOf, type CostsActor, type CostsSnapshot } from '#machines/workspace/billing/costs/machine.ts';
import { DownloadButtons, DownloadOutcome, SPREADSHEET } from '../ui/Download.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { formatCount } from '../ui/figures.ts';
import { useWorkspace } from '../ui/state.ts';
import { Waiting } from '../ui/Waiting.tsx';
import { BadAddressNotice } from '../ui/usage/BadAddressNotice.tsx';
import { PeriodPicker } from '../ui/usage/PeriodPicker.tsx';
import { Reading } from '../ui/usage/Reading.tsx';
import { BillingPage } from './BillingPage.tsx';
import { CostTable, orderName } from './CostTable.tsx';

/** What each project, kind of request and model cost in the period of the address (BIL-03). */
export function CostTablePage() {
  const actor = useSelector(useWorkspace(), ({ children }) => children.costTable);
  return (
    <BillingPage
      intro="What each project and model used and what it cost."
      actions={actor ? <DownloadButton actor={actor} /> : null}
    >
      {actor ? <Contents actor={actor} /> : null}
    </BillingPage>
  );
}

function DownloadButton({ actor }: { actor: CostsActor }) {
  const download = useSelector(actor, ({ children }) => children.download);
  const table = useSelector(
    actor,
    (snapshot) =>
      snapshot.hasTag('listed') || snapshot.hasTag('empty')
        ? ({ of: 'cost', orgUuid: snapshot.context.orgUuid, request: requestOf(snapshot.context) } as const)
        : null,
    (one, other) => JSON.stringify(one) === JSON.stringify(other),
  );
  return download ? <DownloadButtons download={download} formats={['xlsx']} tableAs={() => table} /> : null;
}

function Contents({ actor }: { actor: CostsActor }) {
  const download = useSelector(actor, ({ children }) => children.download);
  const shown = useSelector(actor, shownText);
  return (
    <>
      <BadAddressNotice actor={actor} />
      {download ? <DownloadOutcome download={download} texts={SPREADSHEET} /> : null}
      <PeriodPicker actor={actor} />
      <Reading
        actor={actor}
        waiting={<Waiting height="280px" label="Loading the cost table" />}
        title="The cost table could not be loaded."
        shown={shown}
      />
      <Nothing actor={actor} />
      <CostTable actor={actor} />
    </>
  );
}

/** What is shown and in which order, for screen readers: '12 rows: Cost, highest first'. */
export function shownText(snapshot: Pick<CostsSnapshot, 'context' | 'hasTag'>): string {
  const { cost, order } = snapshot.context;
  if (snapshot.hasTag('empty')) return 'Nothing was used.';
  if (!cost || !snapshot.hasTag('listed')) return '';
  return `${formatCount(cost.rows.length)} ${cost.rows.length === 1 ? 'row' : 'rows'}: ${orderName(order)}`;
}

function Nothing({ actor }: { actor: CostsActor }) {
  const isEmpty = useSelector(actor, (snapshot) => snapshot.hasTag('empty'));
  if (!isEmpty) return null;
  return (
    <EmptyState icon={<Table2 size={22} />} title="Nothing was used in this period">
      No project in this organization had any requests. Choose another period.
    </EmptyState>
  );
}
