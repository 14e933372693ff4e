import { createFileRoute } from '@tanstack/react-router';
import { ConsoleLayout } from '../views/shell/ConsoleLayout.tsx';
import { FullScreenLoader } from '../views/shell/FullScreenLoader.tsx';
import { requireSession } from './-guards.ts';

export const Route = createFileRoute('/_console')({
  beforeLoad: ({ context, location, abortController }) => requireSession({ root: context.root, signal: abortController.signal }, location.href),
  component: ConsoleLayout,
  pendingComponent: FullScreenLoader,
});
