import { useSelector } from '@xstate/react';
import type { ReactNode } from 'react';
import type { AnyActorRef } from 'xstate';
import type { PeriodContext } from '#machines/workspace/usage/period.ts';
import { FailureAlert } from '../FailureAlert.tsx';
import { RetryButton } from '../RetryButton.tsx';

/** An actor that loads the figures of a period. */
type ReadingActor = {
  getSnapshot: () => { context: PeriodContext; hasTag: (tag: 'loading' | 'failed') => boolean };
  subscribe: AnyActorRef['subscribe'];
  send: (event: { type: 'retry.requested' }) => void;
};

type Props = {
  actor: ReadingActor;
  /** Shown while figures load. */
  waiting: ReactNode;
  /** The title of the error. */
  title: string;
  /** What is shown once it is loaded, in a few words: announced to screen readers. Empty until then. */
  shown?: string;
};

/** Shown while figures load, or if they could not be loaded; else only announces them. */
export const Reading = ({ shown, ...props }: Props) => (
  <>
    {shown === undefined ? null : (
      <output className="sr-only">
        <span>{shown}</span>
      </output>
    )}
    <Unread {...props} />
  </>
);

function Unread({ actor, waiting, title }: Omit<Props, 'shown'>) {
  const failure = useSelector(actor, (snapshot) => (snapshot.hasTag('failed') ? snapshot.context.failure : null));
  const isLoading = useSelector(actor, (snapshot) => snapshot.hasTag('loading'));
  if (isLoading) return waiting;
  return (
    <FailureAlert failure={failure} title={title}>
      <RetryButton actor={actor} />
    </FailureAlert>
  );
}
