/** Connects URL and charts: a new location sends `route.changed`, and a chart's `navigate` changes the location. */
import { type BlockerFn, type HistoryLocation, type RouterHistory, createRouter } from '@tanstack/react-router';
import { waitFor } from 'xstate';
import type { RootActor } from '#machines/root/machine.ts';
import { workspaceOf } from '#machines/root/select.ts';
import type { Navigate, Route } from '#machines/shared/route.ts';
import type { BlockNavigation } from './effects/browser/navigationBlocker.ts';
import { addressOf, CONSOLE, parseSearch, routeOf, stringifySearch } from './locations.ts';
import { routeTree } from './routes/tree.ts';

export function createConsoleRouter(root: RootActor, history?: RouterHistory) {
  return createRouter({
    routeTree,
    context: { root },
    ...(history ? { history } : {}),
    trailingSlash: 'always',
    // Guards send events; hovering over a link must not.
    defaultPreload: false,
    // The router's error page would come before ours (main.tsx).
    disableGlobalCatchBoundary: true,
    defaultPendingMs: 0,
    defaultPendingMinMs: 0,
    parseSearch,
    stringifySearch,
  });
}

export type ConsoleRouter = ReturnType<typeof createConsoleRouter>;

/** Fetches the code of the screen at the page's address while the session is verified. Runs no guard, shows nothing. */
export function fetchScreen(router: ConsoleRouter): void {
  const [branch] = router.getMatchedRoutes(router.latestLocation.pathname);
  // The router reports failures when it loads the route.
  void Promise.allSettled(branch.map(async (route) => router.loadRouteChunk(route)));
}

/**
 * Resolves when React can draw the whole first screen: the router has loaded it and, behind the session, the charts
 * have the answers to the early calls. Drawing the screen first without them would take longer.
 */
export async function firstScreen(root: RootActor, router: ConsoleRouter): Promise<void> {
  await router.load();
  if (!router.state.matches.some(({ routeId }) => routeId === CONSOLE)) return;
  const entered = await waitFor(
    root,
    (snapshot) => !snapshot.hasTag('signedIn') || workspaceOf(snapshot) !== undefined,
  );
  const workspace = workspaceOf(entered);
  if (!workspace) return;
  // If the workspace ends meanwhile, the router has gone to another screen.
  await waitFor(workspace, (snapshot) => !snapshot.hasTag('loading')).catch(() => undefined);
  // Lets the charts take answers that have arrived. Later answers are drawn when they come.
  await new Promise((resolve) => setTimeout(resolve));
}

/** Asks a chart about every navigation in a history. Before the page closes, the browser asks. */
export const blockNavigation =
  (history: RouterHistory, router: () => ConsoleRouter): BlockNavigation =>
  (isBlocked) =>
    history.block({
      blockerFn: ({ currentLocation, nextLocation, action }) =>
        isBlocked({
          from: routeAt(router(), currentLocation),
          to: routeAt(router(), nextLocation),
          repeat: () => repeat(history, currentLocation, nextLocation, action),
        }),
      enableBeforeUnload: true,
    });

/** The screen at a location. */
function routeAt(router: ConsoleRouter, { pathname, search }: HistoryLocation): Route {
  const [branch, params, found] = router.getMatchedRoutes(pathname);
  const routeId = found ? branch.at(-1)?.id : undefined;
  return routeId === undefined ? { screen: 'notFound' } : routeOf({ routeId, params, search: parseSearch(search) });
}

/** Repeats a blocked navigation without asking. Steps back and forward keep their place in the history. */
function repeat(
  history: RouterHistory,
  from: HistoryLocation,
  { href, state }: HistoryLocation,
  action: Parameters<BlockerFn>[0]['action'],
): void {
  const unasked = { ignoreBlocker: true };
  if (action === 'PUSH') history.push(href, state, unasked);
  else if (action === 'REPLACE') history.replace(href, state, unasked);
  else history.go(state.__TSR_index - from.state.__TSR_index, unasked);
}

/**
 * Binds both directions for good. A chart learns the URL on `onLoad`, before the new screen renders. Charts change the
 * URL only by `navigate`, which they never emit because of `route.changed`: so there are no loops.
 */
export function bindRouter(root: RootActor, router: ConsoleRouter): void {
  router.subscribe('onLoad', ({ hrefChanged }) => {
    const match = router.state.matches.at(-1);
    if (hrefChanged && match) root.send({ type: 'route.changed', route: routeOf(match) });
  });
  root.on('navigate', ({ to, replace }: Navigate) => {
    const target = 'href' in to ? { href: to.href } : addressOf(to);
    void router.navigate({ ...target, replace: replace ?? false });
  });
  // Runs the guards again: after the end of a session they lead to sign-in.
  root.on('session.ended', () => void router.invalidate());
  root.on('workspace.recovered', () => void router.invalidate());
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ConsoleRouter;
  }
}
