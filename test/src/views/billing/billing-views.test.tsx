/** Views of billing. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import type { BillingReport } from '#contract/billing.ts';
import { overviewMachine } from '#machines/workspace/billing/overview/machine.ts';
import { paymentMachine } from '#machines/workspace/billing/payment/machine.ts';
import { reportsMachine } from '#machines/workspace/billing/reports/machine.ts';
import { downloadMachine } from '#machines/workspace/download/machine.ts';
import { AutopayPanel } from '#src/views/billing/AutopayPanel.tsx';
import { Balance } from '#src/views/billing/Balance.tsx';
import { CostTable } from '#src/views/billing/CostTable.tsx';
import { shownText } from '#src/views/billing/CostTablePage.tsx';
import { ChargeError } from '#src/views/billing/MethodPanel.tsx';
import { OverviewPage } from '#src/views/billing/OverviewPage.tsx';
import { Standing } from '#src/views/billing/Standing.tsx';
import { Projects, ReportFilters } from '#src/views/billing/ReportFilters.tsx';
import { alone } from '../../../machines/appServices.ts';
import { attemptOf, overviewOf, payingOf } from '../../../machines/billed.ts';
import { uuidOf } from '../../../machines/people.ts';
import { silenced } from '../../../machines/silenced.ts';
import { drawn, drawnOn, PLACE, still } from '../drawn.tsx';

const METHOD = { brand: 'Visa', last4: '4242', expires_month: 12, expires_year: 2099 };

it.each([
  ['off', false, false],
  ['off', true, true],
  ['on', false, true],
])(
  'BIX-11: autopay that is %s, with a method: %s, has a form: %s; else the way to add one',
  (enabled, hasMethod, has) => {
    const form = still({
      context: {
        values: { enabled, threshold: '5.00', amount: '20.00' },
        errors: {},
        changedElsewhere: {},
        detached: null,
      },
      hasTag: () => false,
      can: () => true,
    });
    const payment = still({ can: () => true, hasTag: () => false });
    const { status } = payingOf({ method: hasMethod ? METHOD : null });
    const markup = drawn(<AutopayPanel form={form} status={status} payment={payment} />);
    expect([markup.includes('<form'), markup.includes('>Add a payment method</button>')]).toEqual([has, !has]);
  },
);

it('BIX-14: the form of autopay names what is charged as it is saved, and so does its button', () => {
  const context = { values: { enabled: 'on', threshold: '30', amount: '5' }, errors: {}, changedElsewhere: {} };
  const form = still({ context: { ...context, detached: null }, hasTag: () => false, can: () => true });
  const { status } = payingOf({ method: METHOD, balance_at_save_micros: 505_000 });
  const markup = drawn(<AutopayPanel form={form} status={status} payment={undefined} />);
  expect(markup).toContain('Your balance is low: $29.50 is charged as soon as you save.');
  expect(markup).toContain('>Save autopay and charge $29.50</button>');
});

it('BIX-15: a reset that only asks about a charge does not say that autopay charges', () => {
  const at = '2026-04-15T10:00:00.000Z';
  const error = { why: 'unknown', message: 'No answer.', at, amount_micros: null, next_try_at: null } as const;
  const shown = (tag: string, changed: Parameters<typeof payingOf>[0]) => {
    const actor = still({ context: { retried: 'v1' }, hasTag: (one: string) => one === tag, can: () => true });
    return drawn(<ChargeError actor={actor} status={payingOf(changed).status} />);
  };
  const asking = shown('retrying', { attempt: attemptOf({ kind: 'autopay', state: 'processing' }) });
  expect(asking).toMatch(/The error was reset\..*A charge is under way; what comes of it is shown here\./);
  const unanswered = shown('', { error: { ...error, others: [], version: 'v1' } });
  expect(unanswered).toContain('>No answer. We&#x27;ll ask the provider again automatically.');
});

it('BIX-16: a budget that is used up is told with a link to the limits, and without days left', () => {
  const overview = overviewOf({ is_budget_reached: true, days_left: 1001 });
  const views = (
    <>
      <Standing overview={overview} />
      <Balance overview={overview} />
    </>
  );
  const markup = drawnOn({ screen: 'billingOverview', orgUuid: PLACE.orgUuid }, {}, views);
  expect(markup).toContain('The budget of this month is used up.');
  expect(markup).toContain(`/org/${PLACE.orgUuid}/limits/`);
  expect(markup).not.toContain('1,001');
});

it('PAY-26: a payment on its way, or failed, is told once: not where the page follows it', () => {
  const [pending, failed] = [attemptOf({ state: 'processing' }), attemptOf({ state: 'failed', error: 'No.' })];
  const told = (followed?: string) =>
    [overviewOf({ pending }), overviewOf({ failed })].map((overview) => {
      const view = <Standing overview={overview} followed={followed} />;
      return drawnOn({ screen: 'billingOverview', orgUuid: PLACE.orgUuid }, {}, view);
    });
  const [onItsWay, lost] = told();
  expect(onItsWay).toContain('A payment of $20.00 is on its way.');
  expect(lost).toContain('No. Nothing was added to the balance.');
  expect(told(pending.uuid).join('')).not.toContain('$20.00');
});

it('BIX-10: a pointer on the balance shows it to the micro-dollar', () => {
  const overview = overviewOf({ balance_micros: 9_988_800 });
  const markup = drawnOn({ screen: 'billingOverview', orgUuid: PLACE.orgUuid }, {}, <Balance overview={overview} />);
  expect(markup).toMatch(/title="\$9\.988800"[^>]*>\$9\.99</);
});

describe('BIX-13: the overview', () => {
  const drawnOverview = async (answer = () => Promise.resolve(overviewOf())) => {
    const machine = alone(overviewMachine).provide({
      actors: {
        payment: silenced(paymentMachine),
        readToday: fromPromise(() => Promise.resolve('2026-04-15')),
        loadOverview: fromPromise(answer),
      },
    });
    const actor = createActor(machine, { input: { orgUuid: PLACE.orgUuid, view: {}, attempt: null } }).start();
    onTestFinished(() => void actor.stop());
    await waitFor(actor, (snapshot) => !snapshot.hasTag('loading'));
    return drawnOn({ screen: 'billingOverview', orgUuid: PLACE.orgUuid }, { billingOverview: actor }, <OverviewPage />);
  };

  it('says beside its heading that payments are a test, and has the way to pay in the card of the balance', async () => {
    const markup = await drawnOverview();
    const places = ['<h1', 'Test mode: no money moves.', 'page-intro', 'id="balance"', 'Add to balance', 'How you pay'];
    const found = places.map((part) => markup.indexOf(part));
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((one, other) => one - other));
  });

  it('keeps the way to pay if it cannot be read', async () => {
    const markup = await drawnOverview(() => Promise.reject(new Error('No.')));
    expect(markup).toContain('The billing overview could not be loaded.');
    expect(markup).toContain('Add to balance');
  });
});

const EMPTY: BillingReport = {
  currency: 'USD',
  start_date: '2026-04-01',
  end_date: '2026-04-01',
  period: 'daily',
  buckets: ['2026-04-01T00:00:00Z'],
  series: [],
  projects: [],
  totals: { requests: 0, audio_ms: 0, cost_micros: 0 },
};

describe('BIL-02: the projects of a report', () => {
  const shown = async (answer: () => Promise<BillingReport>, state: 'loading' | 'failed' | 'empty') => {
    const machine = alone(reportsMachine).provide({
      actors: {
        download: silenced(downloadMachine),
        readToday: fromPromise(() => Promise.resolve('2026-04-15')),
        loadReport: fromPromise(answer),
      },
    });
    const view = { project_ids: [uuidOf(1), uuidOf(2)].join() };
    const actor = createActor(machine, { input: { orgUuid: PLACE.orgUuid, view } }).start();
    onTestFinished(() => void actor.stop());
    await waitFor(actor, (snapshot) => snapshot.hasTag(state));
    const views = (
      <>
        <ReportFilters actor={actor} />
        <Projects actor={actor} place="row" />
      </>
    );
    return drawnOn({ screen: 'billingReports', orgUuid: PLACE.orgUuid }, {}, views);
  };

  it.each([
    ['loading', () => new Promise<never>(() => {}), 'Loading the projects…'],
    ['failed', () => Promise.reject(new Error('No.')), 'The projects could not be loaded.'],
  ] as const)(
    'are as many as the address names, and are not said to be none, while it is %s',
    async (state, answer, text) => {
      const markup = await shown(answer, state);
      expect(markup).toContain('>2 projects<');
      expect(markup).toContain(text);
      expect(markup).not.toContain('This organization has no projects yet.');
    },
  );

  it('are said to be none once the report says so', async () => {
    const markup = await shown(() => Promise.resolve(EMPTY), 'empty');
    expect(markup).toContain('>All projects<');
    expect(markup).toContain('This organization has no projects yet.');
  });
});

it('UXP-60: how many rows a period has is announced, and their order once it changes', () => {
  const context = { cost: { rows: [{}, {}] }, order: { column: 'cost_micros', direction: 'descending' } };
  const told = (tag: string) => shownText({ context, hasTag: (one: string) => one === tag } as never);
  expect(['loading', 'listed', 'empty'].map(told)).toEqual(['', '2 rows: Cost, highest first', 'Nothing was used.']);
});

it('UXP-96: the field that sorts the cost table says each order, and the opposite of the present one', () => {
  const order = { column: 'cost_micros', direction: 'descending' };
  const actor = still({ context: { cost: { rows: [], totals: EMPTY.totals }, order }, hasTag: () => true });
  const markup = drawnOn({ screen: 'costTable', orgUuid: PLACE.orgUuid }, {}, <CostTable actor={actor} />);
  expect([...markup.matchAll(/<option[^>]*>([^<]*)</g)].map(([, name]) => name)).toEqual([
    'Project, A to Z',
    'Kind, A to Z',
    'Model, A to Z',
    'Requests, highest first',
    'Audio, highest first',
    'Cost, highest first',
    'Cost, lowest first',
  ]);
});
