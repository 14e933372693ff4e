import { Box, Flex } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { OverviewActor } from '#machines/workspace/billing/overview/machine.ts';
import { BadAddressNotice } from '../ui/usage/BadAddressNotice.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { useHasPrices, useWorkspace } from '../ui/state.ts';
import { Waiting } from '../ui/Waiting.tsx';
import { Balance } from './Balance.tsx';
import { BillingPage } from './BillingPage.tsx';
import { LastPayments } from './LastPayments.tsx';
import { AddToBalance } from './PaymentDialog.tsx';
import { PaymentProgress } from './PaymentProgress.tsx';
import { PeriodCost } from './PeriodCost.tsx';
import { Standing } from './Standing.tsx';

/** The balance, what a period cost, and how the organization pays (BIL-01). */
export function OverviewPage() {
  const actor = useSelector(useWorkspace(), ({ children }) => children.billingOverview);
  const payment = useSelector(actor, (snapshot) => snapshot?.children.payment);
  return (
    <BillingPage intro="Your balance, what you spend, and how you pay.">
      {payment ? <PaymentProgress payment={payment} /> : null}
      {actor ? <Contents actor={actor} /> : null}
    </BillingPage>
  );
}

function Contents({ actor }: { actor: OverviewActor }) {
  const overview = useSelector(actor, ({ context }) => context.overview);
  const payment = useSelector(actor, ({ children }) => children.payment);
  const followed = useSelector(payment, (snapshot) => snapshot?.context.status?.uuid);
  const hasPrices = useHasPrices();
  const failure = useSelector(actor, ({ context }) => context.failure);
  const isOutdated = useSelector(actor, (snapshot) => snapshot.hasTag('failed') || snapshot.hasTag('outdated'));
  return (
    <Flex direction="column" gap="8">
      {isOutdated ? (
        <FailureAlert
          failure={failure}
          title={overview ? 'This page is out of date.' : 'The billing overview could not be loaded.'}
        >
          <RetryButton actor={actor} />
        </FailureAlert>
      ) : null}
      {overview ? <Standing overview={overview} followed={followed} /> : null}
      {hasPrices ? <Money actor={actor} /> : null}
      {overview ? <LastPayments payments={overview.payments} /> : null}
    </Flex>
  );
}

/** The balance and the spending, or only the way to pay if they cannot be read; only on a server with prices. */
function Money({ actor }: { actor: OverviewActor }) {
  const overview = useSelector(actor, ({ context }) => context.overview);
  const payment = useSelector(actor, ({ children }) => children.payment);
  const isLoading = useSelector(actor, (snapshot) => snapshot.hasTag('loading'));
  const action = payment ? <AddToBalance payment={payment} /> : null;
  if (!overview) return isLoading ? <Waiting height="520px" label="Loading the balance" /> : <Box>{action}</Box>;
  return (
    <>
      <Balance overview={overview} action={action} />
      <BadAddressNotice actor={actor} />
      <PeriodCost actor={actor} />
    </>
  );
}
