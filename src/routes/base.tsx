/** What all routes lie under: the page itself, and all of it that needs a session. */
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { RootActor } from '#machines/root/machine.ts';
import { untilOnline } from '../effects/browser/network.ts';
import { CONSOLE } from '../locations.ts';
import { ConsoleErrorPage } from '../views/shell/ConsoleErrorPage.tsx';
import { FullScreenLoader } from '../views/shell/FullScreenLoader.tsx';
import { NotFoundPage } from '../views/shell/NotFoundPage.tsx';
import { withPublicStyles } from '../views/shell/PublicStyles.tsx';
import { RootView } from '../views/shell/RootView.tsx';
import { requireSession } from './guards.ts';

/** A view that is fetched when its route opens; without a network, once there is one: the page before it stays meanwhile. */
export const fetched = (view: () => Promise<ComponentType>): RouteComponent =>
  lazyRouteComponent(async () => {
    await untilOnline();
    return { default: await view() };
  });

export const rootRoute = createRootRouteWithContext<{ root: RootActor }>()({
  component: RootView,
  notFoundComponent: withPublicStyles(NotFoundPage),
  errorComponent: ConsoleErrorPage,
});

export const consoleRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: CONSOLE,
  beforeLoad: ({ context, location, abortController }) =>
    requireSession({ root: context.root, signal: abortController.signal }, location.href),
  component: fetched(async () => (await import('../views/shell/ConsoleLayout.tsx')).ConsoleLayout),
  pendingComponent: FullScreenLoader,
});
