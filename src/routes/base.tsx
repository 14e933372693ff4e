/** The root route, and the route around everything that needs a session. */
import { createRootRouteWithContext, createRoute } from '@tanstack/react-router';
import { type ComponentType, createElement, use } from 'react';
import type { RootActor } from '#machines/root/machine.ts';
import { lateCode } from '../behaviours/late.ts';
import { CONSOLE } from '../locations.ts';
import { FullScreenLoader } from '../views/shell/FullScreenLoader.tsx';
import { NotFoundPage } from '../views/shell/NotFoundPage.tsx';
import { withPublicStyles } from '../views/shell/PublicStyles.tsx';
import { RootView } from '../views/shell/RootView.tsx';
import { requireSession } from './guards.ts';

/** A view that is fetched when its route opens. While its file is missing, the previous page stays. */
export function lateView(view: () => Promise<ComponentType>) {
  let View: ComponentType | undefined;
  let fetching: Promise<ComponentType> | undefined;
  const fetch = () => (fetching ??= lateCode.fetch(view).then((fetchedView) => (View = fetchedView)));
  const LateView = () => createElement(View ?? use(fetch()));
  // The router waits for `preload` before it shows the route.
  return Object.assign(LateView, { preload: async () => void (await fetch()) });
}

export const rootRoute = createRootRouteWithContext<{ root: RootActor }>()({
  component: RootView,
  notFoundComponent: withPublicStyles(NotFoundPage),
});

export const consoleRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: CONSOLE,
  beforeLoad: ({ context, location, abortController }) =>
    requireSession({ root: context.root, signal: abortController.signal }, location.href),
  component: lateView(async () => (await import('../views/shell/ConsoleLayout.tsx')).ConsoleLayout),
  pendingComponent: FullScreenLoader,
});
