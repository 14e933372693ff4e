import { Flex } from '@chakra-ui/react';
import type { BillingOverview } from '#contract/billing.ts';
import { TextLink } from '../ui/TextLink.tsx';
import { formatAmount } from '../ui/figures.ts';
import { formatUtcMoment } from './days.ts';
import { BudgetReached } from '../ui/limits/BudgetReached.tsx';
import { Notice } from '../ui/Notice.tsx';
import { PaymentErrorText } from './PaymentErrorText.tsx';
import { titleOf } from './paymentErrors.ts';
import { useOrganization } from './state.ts';

/**
 * What needs attention: an empty balance, a failed charge or payment, a pending payment.
 * @param followed the payment that the page already tells of
 */
export function Standing({ overview, followed }: { overview: BillingOverview; followed?: string | undefined }) {
  const { is_exhausted, is_budget_reached, autopay, method, error } = overview;
  const [pending, failed] = [overview.pending, overview.failed].map((one) => (one?.uuid === followed ? null : one));
  const orgUuid = useOrganization();
  if (!is_exhausted && !is_budget_reached && !error && !pending && !failed) return null;
  const setup = <TextLink to={{ screen: 'paymentSetup', orgUuid }}>Open payment setup</TextLink>;
  return (
    <Flex direction="column" gap="3">
      {is_budget_reached ? <BudgetReached orgUuid={orgUuid} /> : null}
      {is_exhausted ? (
        <Notice tone="error" title="Your balance is empty.">
          {`New requests are refused, and live sessions end. Add to the balance${autopay.enabled ? '' : ', or turn on autopay,'} to continue.`}
        </Notice>
      ) : null}
      {error ? (
        <Notice tone="warning" title={titleOf(error)} actions={setup}>
          <PaymentErrorText error={error} place="overview" method={method} />
        </Notice>
      ) : null}
      {failed ? (
        <Notice
          tone="warning"
          title={`A payment of ${formatAmount(failed.amount_micros ?? 0)} on ${formatUtcMoment(failed.created_at)} UTC failed.`}
        >
          {`${failed.error ?? ''} Nothing was added to the balance.`.trim()}
        </Notice>
      ) : null}
      {pending ? (
        <Notice
          tone="info"
          title={`${pending.kind === 'autopay' ? 'A charge by autopay' : 'A payment'} of ${formatAmount(pending.amount_micros ?? 0)} is on its way.`}
        >
          Your balance updates once it arrives.
        </Notice>
      ) : null}
    </Flex>
  );
}
