import { createRootRouteWithContext } from '@tanstack/react-router';
import type { RootActor } from '#machines/root/machine.ts';
import { ConsoleErrorPage } from '../views/shell/ConsoleErrorPage.tsx';
import { NotFoundPage } from '../views/shell/NotFoundPage.tsx';
import { RootView } from '../views/shell/RootView.tsx';

export const Route = createRootRouteWithContext<{ root: RootActor }>()({
  component: RootView,
  notFoundComponent: NotFoundPage,
  errorComponent: ConsoleErrorPage,
});
