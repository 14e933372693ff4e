import { Button, Dialog, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { InvitationActor } from '#machines/workspace/invitation/machine.ts';
import { fieldOf } from '../../behaviours/takeFocus.ts';
import { formatDay } from '../ui/format.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { useSettings, useZone } from '../ui/state.ts';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { ROLE_NAMES } from '#machines/shared/roleNames.ts';

/** The form's first field. It takes the focus when the dialog closes, even if the form is a new one. */
export const EMAIL_FIELD = 'invitation-email';

type Words = { again: string; afterChange: string; resend: string; busy: string };

/** @param canSend whether the server can send e-mail (UXP-33) */
const wordsOf = (canSend: boolean): Words =>
  canSend
    ? { again: 'send it again', afterChange: 'send', resend: 'Resend unchanged', busy: 'Sending…' }
    : { again: 'renew it', afterChange: 'renew', resend: 'Renew unchanged', busy: 'Renewing…' };

/** Says that an invitation is already pending, and asks whether to resend it unchanged or to change it (CON-03). */
export function PendingInvitation({ actor }: { actor: InvitationActor }) {
  const isOpen = useSelector(actor, (snapshot) => snapshot.hasTag('pending'));
  return (
    <ModalDialog
      title="An invitation is pending"
      open={isOpen}
      onClose={() => actor.send({ type: 'pending.dismissed' })}
      finalFocus={() => fieldOf(EMAIL_FIELD)}
    >
      <Question actor={actor} />
      <WaitDialog actor={actor} />
    </ModalDialog>
  );
}

/** Asks before the person leaves without waiting for the server's answer. */
function WaitDialog({ actor }: { actor: InvitationActor }) {
  const isAsking = useSelector(actor, (snapshot) => snapshot.hasTag('asking'));
  return (
    <ConfirmDialog
      open={isAsking}
      title="Leave without the answer?"
      confirmLabel="Leave"
      cancelLabel="Keep waiting"
      onConfirm={() => actor.send({ type: 'discard.confirmed' })}
      onCancel={() => actor.send({ type: 'discard.declined' })}
    >
      Your request is on its way to the server and may still take effect.
    </ConfirmDialog>
  );
}

function Question({ actor }: { actor: InvitationActor }) {
  const { pending, wanted, choice, failure } = useSelector(actor, ({ context }) => context);
  const isBusy = useSelector(actor, (snapshot) => snapshot.hasTag('sending') || snapshot.hasTag('loading'));
  const isSending = useSelector(actor, (snapshot) => snapshot.hasTag('sending'));
  const zone = useZone();
  const words = wordsOf(useSettings().mails === 'sent');
  const differs = useSelector(
    actor,
    (snapshot) =>
      snapshot.can({ type: 'change.requested' }) ||
      (snapshot.hasTag('sending') && snapshot.context.choice === 'change'),
  );
  if (!wanted) return null;
  const { email, role } = wanted;
  const isOtherRole = pending?.role !== role;
  return (
    <>
      <FailureAlert failure={failure} />
      <Text mt={failure ? '3' : '0'} color="fg.muted" overflowWrap="anywhere">
        {pending ? (
          <span>
            <bdi>{email}</bdi> already has a pending invitation as{' '}
            <span>{`${ROLE_NAMES[pending.role]}, made ${formatDay(pending.created_at, zone)}`}</span>
            {pending.invited_by === null ? null : (
              <span>
                {' '}
                by <bdi>{pending.invited_by}</bdi>
              </span>
            )}
            <span>. </span>
          </span>
        ) : null}
        <span>
          {`If you ${words.again}, its link stays the same and works for another seven days.${
            differs
              ? ` You chose ${isOtherRole ? ROLE_NAMES[role] : 'other projects'} now; the invitation changes only if you say so.`
              : ''
          }`}
        </span>
      </Text>
      <Dialog.Footer p="0" pt="5" flexWrap="wrap">
        <Button variant="outline" onClick={() => actor.send({ type: 'pending.dismissed' })}>
          Cancel
        </Button>
        {differs ? (
          <SubmitButton
            type="button"
            variant="outline"
            busy={isSending && choice === 'change'}
            busyLabel={words.busy}
            onClick={() => actor.send({ type: 'change.requested' })}
          >
            {isOtherRole
              ? `Change to ${ROLE_NAMES[role]} and ${words.afterChange}`
              : `Change its projects and ${words.afterChange}`}
          </SubmitButton>
        ) : null}
        <SubmitButton
          type="button"
          busy={isBusy && choice === 'resend'}
          busyLabel={isSending ? words.busy : 'Reading…'}
          onClick={() => actor.send({ type: 'resend.requested' })}
        >
          {words.resend}
        </SubmitButton>
      </Dialog.Footer>
    </>
  );
}
