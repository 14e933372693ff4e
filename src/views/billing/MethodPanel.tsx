import { Box, Flex, Heading, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { CreditCard } from 'lucide-react';
import type { PaymentMethod } from '#contract/billing.ts';
import type { PaymentStatus } from '#contract/paying.ts';
import type { PaymentActor } from '#machines/workspace/billing/payment/machine.ts';
import type { PaymentSetupActor } from '#machines/workspace/billing/setup/machine.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Panel } from '../ui/Panel.tsx';
import { ReachableButton } from '../ui/ReachableButton.tsx';
import { formatAmount } from '../ui/figures.ts';
import { expiryOf, methodName } from './money.ts';
import { Notice } from '../ui/Notice.tsx';
import { PaymentErrorText } from './PaymentErrorText.tsx';
import { resetOf, titleOf } from './paymentErrors.ts';

type Props = { actor: PaymentSetupActor; status: PaymentStatus };

/** Sets up, replaces and removes the stored payment method. */
export function MethodPanel({ actor, status: { method, charge_at_method_micros: charge } }: Props) {
  const payment = useSelector(actor, ({ children }) => children.payment);
  const isAsking = useSelector(actor, (snapshot) => snapshot.hasTag('asking'));
  const isRemoving = useSelector(actor, (snapshot) => snapshot.hasTag('removing'));
  const canRemove = useSelector(actor, (snapshot) => snapshot.can({ type: 'removal.requested' }));
  return (
    <Panel as="section" aria-labelledby="method">
      <Heading as="h2" id="method" fontSize="lg" fontWeight="semibold">
        Payment method
      </Heading>
      <Text mt="1" mb="4" fontSize="sm" color="fg.muted">
        Autopay charges this method. It is stored by the payment provider, not here.
      </Text>
      {payment ? <SetupFailure payment={payment} /> : null}
      {charge === null ? null : (
        <Text mb="4" fontSize="sm">
          {`Your balance is below autopay's threshold: ${formatAmount(charge)} is charged as soon as another method is saved.`}
        </Text>
      )}
      {method ? (
        <Flex wrap="wrap" align="center" justify="space-between" columnGap="6" rowGap="4">
          <Method method={method} />
          <Flex gap="3" wrap="wrap">
            {payment ? (
              <SetupButton
                payment={payment}
                text={charge === null ? 'Replace' : `Replace and charge ${formatAmount(charge)}`}
              />
            ) : null}
            <ReachableButton
              size="sm"
              variant="outline"
              can={canRemove}
              busy={isRemoving}
              onClick={() => actor.send({ type: 'removal.requested' })}
            >
              {isRemoving ? 'Removing…' : 'Remove'}
            </ReachableButton>
          </Flex>
        </Flex>
      ) : (
        <Flex wrap="wrap" align="center" justify="space-between" columnGap="6" rowGap="4">
          <Text color="fg.muted">No payment method yet.</Text>
          {payment ? <SetupButton payment={payment} text="Set up payment method" isFirst /> : null}
        </Flex>
      )}
      <ConfirmDialog
        open={isAsking}
        title="Remove the payment method?"
        confirmLabel="Remove"
        onConfirm={() => actor.send({ type: 'removal.confirmed' })}
        onCancel={() => actor.send({ type: 'removal.declined' })}
      >
        {`${method ? methodName(method) : 'It'} is no longer charged, and autopay is turned off. Requests stop when the balance runs out.`}
      </ConfirmDialog>
    </Panel>
  );
}

const Method = ({ method }: { method: PaymentMethod }) => (
  <Flex align="center" gap="4" minW="0">
    <Flex
      align="center"
      justify="center"
      flexShrink="0"
      w="12"
      h="8"
      borderRadius="l1"
      borderWidth="1px"
      color="fg.muted"
      aria-hidden
    >
      <CreditCard size={18} />
    </Flex>
    <Box minW="0">
      <Text fontWeight="semibold" overflowWrap="anywhere">
        {methodName(method)}
      </Text>
      <Text fontSize="sm" color="fg.muted">
        {`Expires ${expiryOf(method)}`}
      </Text>
    </Box>
  </Flex>
);

/** A button that leads to the payment provider's page. */
export function SetupButton({
  payment,
  text,
  isFirst = false,
}: {
  payment: PaymentActor;
  text: string;
  isFirst?: boolean;
}) {
  const can = useSelector(payment, (snapshot) => snapshot.can({ type: 'begin.requested' }));
  const isLeaving = useSelector(payment, (snapshot) => snapshot.hasTag('leaving'));
  return (
    <ReachableButton
      size={isFirst ? 'md' : 'sm'}
      variant={isFirst ? 'solid' : 'outline'}
      can={can}
      busy={isLeaving}
      onClick={() => payment.send({ type: 'begin.requested' })}
    >
      {isLeaving ? 'Opening the setup page…' : text}
    </ReachableButton>
  );
}

function SetupFailure({ payment }: { payment: PaymentActor }) {
  const failure = useSelector(payment, (snapshot) => (snapshot.hasTag('readFailed') ? null : snapshot.context.failure));
  return failure ? (
    <Box mb="4">
      <FailureAlert failure={failure} title="The setup could not be started." />
    </Box>
  ) : null;
}

/** Why autopay waits, when it resumes, and a button that resumes it now; then that a charge is under way. */
export function ChargeError({ actor, status: { error, method } }: Props) {
  const isResetting = useSelector(actor, (snapshot) => snapshot.hasTag('resetting'));
  const isRetrying = useSelector(actor, (snapshot) => snapshot.hasTag('retrying'));
  const isRetried = useSelector(actor, ({ context }) => error !== null && context.retried === error.version);
  const can = useSelector(actor, (snapshot) => snapshot.can({ type: 'reset.requested' }));
  return (
    <Box aria-live="polite" _empty={{ display: 'none' }}>
      {error ? (
        <Notice
          tone="warning"
          title={titleOf(error)}
          actions={
            <ReachableButton
              size="sm"
              variant="outline"
              can={can}
              busy={isResetting}
              onClick={() => actor.send({ type: 'reset.requested' })}
            >
              {isResetting ? 'Resetting…' : resetOf(error)}
            </ReachableButton>
          }
        >
          <PaymentErrorText error={error} place="setup" method={method} isRetried={isRetried} />
        </Notice>
      ) : isRetrying ? (
        <Notice tone="info" title="The error was reset.">
          A charge is under way; what comes of it is shown here.
        </Notice>
      ) : null}
    </Box>
  );
}
