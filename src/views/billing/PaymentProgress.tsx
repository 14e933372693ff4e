import { Box, Button, Spinner } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReactNode } from 'react';
import type { PaymentActor } from '#machines/workspace/billing/payment/machine.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { formatAmount } from '../ui/figures.ts';
import { Notice, type Tone } from '../ui/Notice.tsx';

type Outcome = { tone: Tone; title: string; text: string; sign?: ReactNode };

/** The outcome of a payment or setup, once the person is back from the provider. Renders nothing without one. */
export function PaymentProgress({ payment, hasAutopay = false }: { payment: PaymentActor; hasAutopay?: boolean }) {
  const outcome = useOutcome(payment, hasAutopay);
  const failure = useSelector(payment, ({ context }) => context.failure);
  const hasReadFailed = useSelector(payment, (snapshot) => snapshot.hasTag('readFailed'));
  return (
    // The live region exists before its text, so that screen readers announce the text.
    <Box role="status" aria-label="Payment" _empty={{ display: 'none' }}>
      {hasReadFailed ? (
        <FailureAlert failure={failure} title="The state of the payment could not be loaded.">
          <Actions payment={payment} />
        </FailureAlert>
      ) : outcome ? (
        <Notice {...outcome} actions={<Actions payment={payment} />}>
          {outcome.text}
        </Notice>
      ) : null}
    </Box>
  );
}

/** A button for each event that the chart accepts. */
function Actions({ payment }: { payment: PaymentActor }) {
  const mayRetry = useSelector(payment, (snapshot) => snapshot.can({ type: 'retry.requested' }));
  const mayCheck = useSelector(payment, (snapshot) => snapshot.can({ type: 'check.requested' }));
  const mayOpen = useSelector(payment, (snapshot) => snapshot.can({ type: 'page.requested' }));
  const mayDismiss = useSelector(payment, (snapshot) => snapshot.can({ type: 'outcome.dismissed' }));
  const button = (
    text: string,
    type: 'retry.requested' | 'check.requested' | 'page.requested' | 'outcome.dismissed',
  ) => (
    <Button key={type} size="sm" variant="outline" onClick={() => payment.send({ type })}>
      {text}
    </Button>
  );
  return [
    mayRetry ? button('Retry', 'retry.requested') : null,
    mayCheck ? button('Check again', 'check.requested') : null,
    mayOpen ? button('Back to the payment page', 'page.requested') : null,
    mayDismiss ? button('Dismiss', 'outcome.dismissed') : null,
  ];
}

/** @param hasAutopay whether autopay is on, and so uses a newly saved method */
function useOutcome(payment: PaymentActor, hasAutopay: boolean): Outcome | null {
  const { status, kind } = useSelector(payment, ({ context }) => context);
  const tag = useSelector(payment, (snapshot) =>
    (['unknown', 'succeeded', 'failed', 'canceled', 'overdue', 'following'] as const).find((one) =>
      snapshot.hasTag(one),
    ),
  );
  if (tag === undefined) return null;
  const isSetup = (status?.kind ?? kind) === 'setup';
  const amount = status?.amount_micros == null ? 'the amount' : formatAmount(status.amount_micros);
  switch (tag) {
    case 'unknown':
      return {
        tone: 'warning',
        title: "We can't find this payment.",
        text: 'It may belong to another organization.',
      };
    case 'succeeded':
      return isSetup
        ? {
            tone: 'success',
            title: 'Payment method saved.',
            text: hasAutopay ? 'Autopay uses it for its next charge.' : 'You can turn on autopay now.',
          }
        : { tone: 'success', title: `Payment of ${amount} succeeded.`, text: 'It has been added to your balance.' };
    case 'failed':
      return {
        tone: 'error',
        title: isSetup ? 'The payment method was not saved.' : `Payment of ${amount} failed.`,
        text: `${status?.error ?? 'The payment provider gave no reason.'}${isSetup ? '' : ' Nothing was added to your balance.'}`,
      };
    case 'canceled':
      return {
        tone: 'info',
        title: isSetup ? 'Setup canceled.' : `Payment of ${amount} canceled.`,
        text: isSetup ? 'No payment method was saved.' : 'Nothing was charged.',
      };
    case 'overdue':
      return status?.state === 'open'
        ? {
            tone: 'warning',
            title: isSetup ? 'The setup is not finished.' : `Payment of ${amount} is not finished.`,
            text: 'Nothing has arrived from the payment provider. If you finished there, it may take a little longer; this page updates by itself.',
          }
        : {
            tone: 'info',
            title: isSetup ? 'The setup takes longer than usual.' : `Payment of ${amount} takes longer than usual.`,
            text: 'The payment provider is still working on it. You can leave this page; your balance updates once the payment arrives.',
          };
    case 'following':
      return {
        tone: 'info',
        title: isSetup ? 'Saving your payment method…' : 'Confirming your payment…',
        text: 'We’re waiting for the payment provider. This usually takes a few seconds.',
        sign: <Spinner size="sm" />,
      };
  }
}
