import { Outlet } from '@tanstack/react-router';
import { useSelector } from '@xstate/react';
import { CallError } from '#machines/shared/failure.ts';
import { useRoot } from '../../actors.ts';
import { showConsoleError } from '../../behaviours/consoleError.ts';
import { PartsBanner } from './PartsBanner.tsx';

/** The current route's screen, below a banner about missing code; the error screen if the charts have crashed. */
export function RootView() {
  // Why the charts crashed.
  const failure = useSelector(useRoot(), ({ context }) => context.failure);
  if (!failure)
    return (
      <>
        <PartsBanner />
        <Outlet />
      </>
    );
  // The ref runs after React has removed the screen.
  return <div ref={() => showConsoleError(new CallError(failure))} />;
}
