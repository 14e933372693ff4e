import { Outlet, createRootRouteWithContext } from '@tanstack/react-router';
import type { RootActor } from '#machines/root/machine.ts';
import { ConsoleErrorPage } from '../views/shell/ConsoleErrorPage.tsx';
import { NotFoundPage } from '../views/shell/NotFoundPage.tsx';

export const Route = createRootRouteWithContext<{ root: RootActor }>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: ConsoleErrorPage,
});
