import { useSelector } from '@xstate/react';
import type { FormValues } from '#machines/shared/form/types.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { type FormActor, useSubmitting } from './Form.tsx';

/** Asks before the person leaves a form with input, or one that is being submitted. */
export function DiscardDialog<Values extends FormValues>({ actor }: { actor: FormActor<Values> }) {
  const isAsking = useSelector(actor, (snapshot) => snapshot.hasTag('asking'));
  const isSubmitting = useSubmitting(actor);
  return (
    <ConfirmDialog
      open={isAsking}
      title={isSubmitting ? 'Leave without the answer?' : 'Discard what you typed?'}
      confirmLabel={isSubmitting ? 'Leave' : 'Discard'}
      cancelLabel={isSubmitting ? 'Keep waiting' : 'Keep editing'}
      onConfirm={() => actor.send({ type: 'discard.confirmed' })}
      onCancel={() => actor.send({ type: 'discard.declined' })}
    >
      {isSubmitting
        ? 'Your request is on its way to the server and may still take effect.'
        : 'What you typed is not saved anywhere.'}
    </ConfirmDialog>
  );
}
