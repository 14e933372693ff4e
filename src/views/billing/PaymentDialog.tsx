import { Box, Button, Dialog, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Plus } from 'lucide-react';
import { PAYMENT_MAX_MICROS, PAYMENT_MIN_MICROS } from '#contract/billing.ts';
import { usdText } from '#machines/workspace/billing/amount.ts';
import type { PaymentActor } from '#machines/workspace/billing/payment/machine.ts';
import { takeFocus } from '../../behaviours/takeFocus.ts';
import { Choice } from '../ui/Choice.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Form, type FormActor, FormField } from '../ui/Form.tsx';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { ReachableButton } from '../ui/ReachableButton.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { useSettings } from '../ui/state.ts';
import { formatAmount } from '../ui/figures.ts';

/** Suggested amounts, in micro-USD. */
const SUGGESTED = [10_000_000, 25_000_000, 50_000_000, 100_000_000];

/** The button that begins a payment, and the dialog that asks for the amount (BIL-06). */
export function AddToBalance({ payment }: { payment: PaymentActor }) {
  const can = useSelector(payment, (snapshot) => snapshot.can({ type: 'begin.requested' }));
  return (
    <>
      <ReachableButton can={can} onClick={() => payment.send({ type: 'begin.requested' })}>
        <Plus size={16} aria-hidden />
        Add to balance
      </ReachableButton>
      <PaymentDialog payment={payment} />
    </>
  );
}

function PaymentDialog({ payment }: { payment: PaymentActor }) {
  const form = useSelector(payment, ({ children }) => children.amountForm);
  const isOpen = useSelector(payment, (snapshot) => snapshot.hasTag('dialog') || snapshot.hasTag('leaving'));
  const close = () => (form ? form.send({ type: 'dismiss.requested' }) : payment.send({ type: 'dialog.dismissed' }));
  return (
    <ModalDialog title={form ? 'Add to balance' : 'Confirm payment'} open={isOpen} onClose={close}>
      {form ? <AmountForm form={form} onCancel={close} /> : <Confirmation payment={payment} />}
    </ModalDialog>
  );
}

function AmountForm({ form, onCancel }: { form: FormActor<{ amount: string }>; onCancel: () => void }) {
  const amount = useSelector(form, ({ context }) => context.values.amount);
  return (
    <Form actor={form}>
      <Flex role="group" aria-label="Amounts" gap="2" wrap="wrap">
        {SUGGESTED.map((micros) => (
          <Choice
            key={micros}
            isChosen={amount === usdText(micros)}
            onChoose={() => form.send({ type: 'field.changed', field: 'amount', value: usdText(micros) })}
          >
            {formatAmount(micros).replace('.00', '')}
          </Choice>
        ))}
      </Flex>
      <FormField
        actor={form}
        field="amount"
        id="payment-amount"
        label="Amount in US dollars"
        inputMode="decimal"
        autoComplete="off"
        hint={`From ${formatAmount(PAYMENT_MIN_MICROS)} to ${formatAmount(PAYMENT_MAX_MICROS)}.`}
        required
        takesFocus
      />
      <Dialog.Footer p="0" pt="1" flexWrap="wrap">
        <Button variant="outline" onClick={onCancel}>
          Cancel
        </Button>
        <SubmitButton busy={false} busyLabel="">
          Continue
        </SubmitButton>
      </Dialog.Footer>
    </Form>
  );
}

function Confirmation({ payment }: { payment: PaymentActor }) {
  const isLeaving = useSelector(payment, (snapshot) => snapshot.hasTag('leaving'));
  const canRevise = useSelector(payment, (snapshot) => snapshot.can({ type: 'amount.revised' }));
  const canConfirm = useSelector(payment, (snapshot) => snapshot.can({ type: 'amount.confirmed' }));
  const amount = useSelector(payment, ({ context }) => context.amountMicros ?? 0);
  const failure = useSelector(payment, ({ context }) => context.failure);
  const { payments } = useSettings();
  return (
    <Flex direction="column" gap="5">
      <FailureAlert failure={failure} title="The payment could not be started." />
      {/* Takes the focus of the form, which is gone, and not its button: a second Enter should not pay. */}
      <Box
        ref={takeFocus}
        data-autofocus
        role="group"
        aria-label={`You pay ${formatAmount(amount)}`}
        aria-describedby="payment-terms"
        tabIndex={-1}
        outline="none"
      >
        <Text fontSize="sm" color="fg.muted">
          You pay
        </Text>
        <Text
          fontSize="3xl"
          lineHeight="1.3"
          fontWeight="semibold"
          letterSpacing="-0.02em"
          fontVariantNumeric="tabular-nums"
        >
          {formatAmount(amount)}
        </Text>
        <Text id="payment-terms" mt="2" fontSize="sm" color="fg.muted">
          {payments === 'test'
            ? 'You’ll choose a test card on the next page. No money moves.'
            : 'You’ll pay on the secure page of our payment provider, and come back here. The balance goes up once the payment has arrived.'}
        </Text>
      </Box>
      <Dialog.Footer p="0" pt="1" flexWrap="wrap">
        <ReachableButton variant="outline" can={canRevise} onClick={() => payment.send({ type: 'amount.revised' })}>
          Change amount
        </ReachableButton>
        <ReachableButton can={canConfirm} busy={isLeaving} onClick={() => payment.send({ type: 'amount.confirmed' })}>
          {isLeaving ? 'Opening the payment page…' : `Pay ${formatAmount(amount)}`}
        </ReachableButton>
      </Dialog.Footer>
    </Flex>
  );
}
