/** Views of billing. */
import { expect, it } from 'vitest';
import { AutopayPanel } from '#src/views/billing/AutopayPanel.tsx';
import { Balance } from '#src/views/billing/Balance.tsx';
import { overviewOf } from '../../../machines/billed.ts';
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
