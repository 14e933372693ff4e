import { Stack } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { questionOf } from '#machines/workspace/leaveGuard/texts.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { useWorkspace } from '../ui/state.ts';

/** Asks before the person leaves and loses something, and names what is lost (CON-01). */
export function LeaveDialog() {
  const workspace = useWorkspace();
  const guard = useSelector(workspace, (snapshot) => snapshot.children.leaveGuard);
  const place = useSelector(workspace, (snapshot) => snapshot.context);
  const isAsking = useSelector(guard, (snapshot) => snapshot?.hasTag('asking') ?? false);
  const question = useSelector(
    guard,
    (snapshot) => snapshot && questionOf(snapshot, place),
    (one, other) => JSON.stringify(one) === JSON.stringify(other),
  );
  return (
    <ConfirmDialog
      open={isAsking}
      title={question?.title ?? ''}
      confirmLabel={question?.confirm ?? ''}
      cancelLabel="Stay"
      onConfirm={() => guard?.send({ type: 'leave.chosen' })}
      onCancel={() => guard?.send({ type: 'stay.chosen' })}
    >
      <Stack as="ul" gap="1" listStyleType="none">
        {question?.consequences.map((consequence) => (
          <li key={consequence}>{consequence}</li>
        ))}
      </Stack>
    </ConfirmDialog>
  );
}
