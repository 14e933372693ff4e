import { Outlet } from '@tanstack/react-router';
import { useSelector } from '@xstate/react';
import { CallError } from '#machines/shared/failure.ts';
import { useRoot } from '../../actors.ts';
import { showConsoleError } from '../../behaviours/consoleError.ts';
import { PartsBanner } from './PartsBanner.tsx';

/** The current route's screen, below what is wrong with the page itself; when the charts have crashed, the error screen. */
export function RootView() {
  // Of the charts that have crashed.
  const failure = useSelector(useRoot(), ({ context }) => context.failure);
  if (!failure)
    return (
      <>
        <PartsBanner />
        <Outlet />
      </>
    );
  // React has taken what was here away by then.
  return <div ref={() => showConsoleError(new CallError(failure))} />;
}
