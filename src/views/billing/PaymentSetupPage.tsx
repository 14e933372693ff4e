import { Button, Flex } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { PaymentSetupActor } from '#machines/workspace/billing/setup/machine.ts';
import { FORM_WIDTH } from '../../theme/measures.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { useWorkspace } from '../ui/state.ts';
import { Waiting } from '../ui/Waiting.tsx';
import { AutopayPanel } from './AutopayPanel.tsx';
import { BillingPage } from './BillingPage.tsx';
import { DetailsPanel } from './DetailsPanel.tsx';
import { ChargeError, MethodPanel } from './MethodPanel.tsx';
import { PaymentProgress } from './PaymentProgress.tsx';

/** The payment method, autopay, and the details on receipts (BIL-05, BIL-07). */
export function PaymentSetupPage() {
  const actor = useSelector(useWorkspace(), ({ children }) => children.paymentSetup);
  const payment = useSelector(actor, (snapshot) => snapshot?.children.payment);
  const hasAutopay = useSelector(actor, (snapshot) => snapshot?.context.paying?.settings.autopay.enabled);
  return (
    <BillingPage intro="Payment method, autopay and receipt details.">
      {payment ? <PaymentProgress payment={payment} hasAutopay={hasAutopay === true} /> : null}
      {actor ? <Contents actor={actor} /> : null}
    </BillingPage>
  );
}

function Contents({ actor }: { actor: PaymentSetupActor }) {
  const { paying, failure } = useSelector(actor, ({ context }) => context);
  const isOutdated = useSelector(actor, (snapshot) => snapshot.hasTag('failed') || snapshot.hasTag('outdated'));
  const isLoading = useSelector(actor, (snapshot) => snapshot.hasTag('loading'));
  const autopay = useSelector(actor, ({ children }) => children.autopayForm);
  const details = useSelector(actor, ({ children }) => children.detailsForm);
  const payment = useSelector(actor, ({ children }) => children.payment);
  return (
    <Flex direction="column" gap="6" maxW={FORM_WIDTH}>
      {isOutdated ? (
        <FailureAlert
          failure={failure}
          title={paying ? 'This page is out of date.' : 'The payment setup could not be loaded.'}
        >
          <Button size="sm" variant="outline" onClick={() => actor.send({ type: 'retry.requested' })}>
            Retry
          </Button>
        </FailureAlert>
      ) : null}
      {paying && !isLoading ? (
        <>
          <ChargeError actor={actor} status={paying.status} />
          <MethodPanel actor={actor} status={paying.status} />
          {autopay ? <AutopayPanel form={autopay} status={paying.status} payment={payment} /> : null}
          {details ? <DetailsPanel form={details} /> : null}
        </>
      ) : isLoading ? (
        <Waiting height="640px" label="Loading the payment setup" />
      ) : null}
    </Flex>
  );
}
