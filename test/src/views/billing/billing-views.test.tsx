/** Views of billing. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import { overviewMachine } from '#machines/workspace/billing/overview/machine.ts';
import { paymentMachine } from '#machines/workspace/billing/payment/machine.ts';
import { AutopayPanel } from '#src/views/billing/AutopayPanel.tsx';
import { Balance } from '#src/views/billing/Balance.tsx';
import { OverviewPage } from '#src/views/billing/OverviewPage.tsx';
import { alone } from '../../../machines/appServices.ts';
import { overviewOf } from '../../../machines/billed.ts';
import { silenced } from '../../../machines/silenced.ts';
import { drawn, drawnOn, PLACE, still } from '../drawn.tsx';

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
    const markup = drawn(<AutopayPanel form={form} hasMethod={hasMethod} payment={payment} />);
    expect([markup.includes('<form'), markup.includes('>Add a payment method</button>')]).toEqual([has, !has]);
  },
);

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
