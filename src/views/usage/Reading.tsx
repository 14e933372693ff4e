import { useSelector } from '@xstate/react';
import type { ReactNode } from 'react';
import type { AnyActorRef } from 'xstate';
import type { PeriodContext } from '#machines/workspace/usage/period.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';

/** Who reads what there is of a period. */
type ReadingActor = {
  getSnapshot: () => { context: PeriodContext; hasTag: (tag: 'loading' | 'failed') => boolean };
  subscribe: AnyActorRef['subscribe'];
  send: (event: { type: 'retry.requested' }) => void;
};

type Props = {
  actor: ReadingActor;
  /** Stands there while figures are on their way. */
  waiting: ReactNode;
  /** Says that they did not come. */
  title: string;
};

/** In place of figures that are on their way, or that did not come; nothing where they are there. */
export function Reading({ actor, waiting, title }: Props) {
  const failure = useSelector(actor, (snapshot) => (snapshot.hasTag('failed') ? snapshot.context.failure : null));
  const isLoading = useSelector(actor, (snapshot) => snapshot.hasTag('loading'));
  if (isLoading) return waiting;
  return (
    <FailureAlert failure={failure} title={title}>
      <RetryButton actor={actor} />
    </FailureAlert>
  );
}
