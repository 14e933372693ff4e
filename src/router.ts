/** The only place where URL and charts meet: locations become `route.changed`, `navigate` intents become locations. */
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
    // It would show a page of its own; ours takes the place of all (main.tsx).
    disableGlobalCatchBoundary: true,
    defaultPendingMs: 0,
    defaultPendingMinMs: 0,
    parseSearch,
    stringifySearch,
  });
}

export type ConsoleRouter = ReturnType<typeof createConsoleRouter>;

/** Fetches the code of the screen at the page's address while the session is verified; it shows nothing, and no guard runs. */
export function fetchScreen(router: ConsoleRouter): void {
  const [branch] = router.getMatchedRoutes(router.latestLocation.pathname);
  // Where it fails, the router says so.
  void Promise.allSettled(branch.map(async (route) => router.loadRouteChunk(route)));
}

/**
 * Resolves when the first screen can be drawn as a whole: the router has loaded it and, where it lies behind the session,
 * the charts have what had been called for early. Drawing it twice, with and without, would cost more than it shows.
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
  // Where it ends meanwhile, the router has led elsewhere, which is to be drawn.
  await waitFor(workspace, (snapshot) => !snapshot.hasTag('loading')).catch(() => undefined);
  // Answers that are there are taken up by then; what is still on its way is drawn when it comes.
  await new Promise((resolve) => setTimeout(resolve));
}

/** Blocks navigation in a history for the chart that decides. The browser asks before the page goes. */
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

/** The screen that a location leads to. */
function routeAt(router: ConsoleRouter, { pathname, search }: HistoryLocation): Route {
  const [branch, params, found] = router.getMatchedRoutes(pathname);
  const routeId = found ? branch.at(-1)?.id : undefined;
  return routeId === undefined ? { screen: 'notFound' } : routeOf({ routeId, params, search: parseSearch(search) });
}

/** Goes the way that was blocked. Steps in the history go by number: an address that was visited keeps its place. */
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
 * Binds both directions for good. URL to chart on `onLoad`, that is before the new screen renders; chart to
 * URL only on the charts' own intents, which they never emit because of `route.changed`: so there are no loops.
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
  // The guards decide again: an ended session leads to sign-in.
  root.on('session.ended', () => void router.invalidate());
  root.on('workspace.recovered', () => void router.invalidate());
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ConsoleRouter;
  }
}
