import { Outlet } from '@tanstack/react-router';
import { shallowEqual, useSelector } from '@xstate/react';
import { CallError } from '#machines/shared/failure.ts';
import { useRoot } from '../../actors.ts';
import { ConsoleErrorPage } from './ConsoleErrorPage.tsx';

/** The current route's screen; when the charts have crashed, the error screen. */
export function RootView() {
  const { isCrashed, failure } = useSelector(
    useRoot(),
    (snapshot) => ({ isCrashed: snapshot.hasTag('crashed'), failure: snapshot.context.failure }),
    shallowEqual,
  );
  if (!isCrashed) return <Outlet />;
  // Only what a server or a call said is meant for people.
  return <ConsoleErrorPage error={failure && failure.kind !== 'OTHER' ? new CallError(failure) : null} />;
}
