import { Box, Button, Dialog, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { Limit } from '#contract/limits.ts';
import type { LimitsActor } from '#machines/workspace/limits/machine.ts';
import { isNoBudget } from '#machines/workspace/limits/amounts.ts';
import { canAsk, limitOf } from '#machines/workspace/limits/select.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { DiscardDialog } from '../ui/DiscardDialog.tsx';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { Notice } from '../ui/Notice.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { changeTitle, formatLimit, WORDS } from '../ui/limits/words.ts';

/** The dialogs that change a limit, request an increase, and remove all limits of a project. */
export function LimitDialogs({ actor }: { actor: LimitsActor }) {
  const limitForm = useSelector(actor, (snapshot) => snapshot.children.limitForm);
  const increaseForm = useSelector(actor, (snapshot) => snapshot.children.increaseForm);
  const chosen = useSelector(actor, ({ context }) => limitOf(context, context.chosen));
  const isConfirming = useSelector(actor, (snapshot) => snapshot.hasTag('confirming'));
  return (
    <>
      <ModalDialog
        title={chosen ? changeTitle(chosen.name) : ''}
        open={limitForm !== undefined}
        onClose={() => limitForm?.send({ type: 'dismiss.requested' })}
      >
        {limitForm && chosen && <LimitForm actor={actor} form={limitForm} limit={chosen} />}
      </ModalDialog>
      <ModalDialog
        title={chosen ? `Request an increase: ${WORDS[chosen.name].name.toLowerCase()}` : ''}
        open={increaseForm !== undefined}
        onClose={() => increaseForm?.send({ type: 'dismiss.requested' })}
      >
        {increaseForm && chosen && <IncreaseForm form={increaseForm} limit={chosen} />}
      </ModalDialog>
      <ConfirmDialog
        open={isConfirming}
        title="Use the organization's limits?"
        confirmLabel="Use them"
        onConfirm={() => actor.send({ type: 'clearing.confirmed' })}
        onCancel={() => actor.send({ type: 'clearing.dismissed' })}
      >
        <Text fontSize="sm">All limits set for this project are removed. The organization's limits apply at once.</Text>
      </ConfirmDialog>
    </>
  );
}

type LimitFormProps = { actor: LimitsActor; form: FormActor<{ value: string }>; limit: Limit };

function LimitForm({ actor, form, limit }: LimitFormProps) {
  const context = useSelector(actor, (snapshot) => snapshot.context);
  const { what, orgUuid } = context;
  const { name, maximum } = limit;
  const isSubmitting = useSubmitting(form);
  const hasNoBudget = useSelector(form, ({ context: { values } }) => isNoBudget(name, values.value));
  return (
    <Form actor={form}>
      <FormField
        actor={form}
        field="value"
        id="limit-value"
        label={WORDS[name].field}
        autoComplete="off"
        hint={hintOf(what, limit)}
      />
      <Box aria-live="polite" _empty={{ display: 'none' }}>
        {hasNoBudget ? (
          <Notice tone="warning" title="A budget of $0.00 refuses every request.">
            New requests are refused as soon as you save. No mail is sent.
          </Notice>
        ) : null}
      </Box>
      {maximum === null ? null : (
        <Text fontSize="sm" color="fg.muted">
          Need more?{' '}
          {what === 'project' ? (
            <span>
              Raise it in the{' '}
              <TextLink to={{ screen: 'organizationLimits', orgUuid }}>limits of the organization</TextLink> first.
            </span>
          ) : canAsk(context, name) ? (
            <Button
              variant="plain"
              height="auto"
              p="0"
              verticalAlign="baseline"
              fontSize="sm"
              color="brand.fg"
              textDecoration="underline"
              textUnderlineOffset="3px"
              onClick={() => actor.send({ type: 'increase.requested', limit: name })}
            >
              Request an increase
            </Button>
          ) : (
            <span>Your request is awaiting an answer.</span>
          )}
        </Text>
      )}
      <Dialog.Footer p="0" pt="1">
        <Button variant="outline" onClick={() => form.send({ type: 'dismiss.requested' })}>
          Cancel
        </Button>
        <SubmitButton busy={isSubmitting} busyLabel="Saving…">
          Save
        </SubmitButton>
      </Dialog.Footer>
    </Form>
  );
}

/** The field's maximum, and what an empty field means. */
function hintOf(what: 'organization' | 'project', { name, maximum }: Limit): string {
  const most = maximum === null ? '' : `At most ${formatLimit(name, maximum)}. `;
  return `${most}Leave it empty to use ${what === 'project' ? 'the limit of the organization' : 'the default'}.`;
}

function IncreaseForm({ form, limit }: { form: FormActor<{ value: string; reason: string }>; limit: Limit }) {
  const { name, maximum } = limit;
  const isSubmitting = useSubmitting(form);
  return (
    <Form actor={form}>
      <FormField
        actor={form}
        field="value"
        id="increase-value"
        label={WORDS[name].field}
        autoComplete="off"
        hint={
          maximum === null ? null : `You can set up to ${formatLimit(name, maximum)} yourself. Enter a higher number.`
        }
        required
      />
      <FormField
        actor={form}
        field="reason"
        id="increase-reason"
        label="What do you need it for?"
        hint="This goes to the operator of this service. You'll see the answer on this page."
        rows={4}
        required
      />
      <Dialog.Footer p="0" pt="1">
        <Button variant="outline" onClick={() => form.send({ type: 'dismiss.requested' })}>
          Cancel
        </Button>
        <SubmitButton busy={isSubmitting} busyLabel="Sending…">
          Send request
        </SubmitButton>
      </Dialog.Footer>
      <DiscardDialog actor={form} />
    </Form>
  );
}
