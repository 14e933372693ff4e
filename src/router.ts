/** The only place where URL and charts meet: locations become `route.changed`, `navigate` intents become locations. */
import { type RouterHistory, createRouter } from '@tanstack/react-router';
import type { RootActor } from '#machines/root/machine.ts';
import type { Navigate } from '#machines/route.ts';
import type { HoldNavigation } from './effects/stayGuard.ts';
import { addressOf, parseSearch, routeOf, stringifySearch } from './locations.ts';
import { routeTree } from './routeTree.gen.ts';

export function createConsoleRouter(root: RootActor, history?: RouterHistory) {
  return createRouter({
    routeTree,
    context: { root },
    ...(history ? { history } : {}),
    trailingSlash: 'always',
    // Guards send events; hovering over a link must not.
    defaultPreload: false,
    defaultPendingMs: 0,
    defaultPendingMinMs: 0,
    parseSearch,
    stringifySearch,
  });
}

/** Holds the addresses of a history: for charts that ask before they are left. The browser asks before the page goes. */
export const holdNavigation =
  (history: RouterHistory): HoldNavigation =>
  (onTry) =>
    history.block({
      blockerFn: () => {
        onTry();
        return true;
      },
      enableBeforeUnload: true,
    });

export type ConsoleRouter = ReturnType<typeof createConsoleRouter>;

/**
 * Binds both directions and returns the undo. URL to chart on `onLoad`, that is before the new screen renders; chart to
 * URL only on the charts' own intents, which they never emit because of `route.changed`: so there are no loops.
 */
export function bindRouter(root: RootActor, router: ConsoleRouter): () => void {
  const adopt = router.subscribe('onLoad', ({ hrefChanged }) => {
    const match = router.state.matches.at(-1);
    if (hrefChanged && match) root.send({ type: 'route.changed', route: routeOf(match) });
  });
  const navigations = root.on('navigate', ({ to, replace }: Navigate) => {
    const target = 'href' in to ? { href: to.href } : addressOf(to);
    void router.navigate({ ...target, replace: replace ?? false });
  });
  // The guards decide again: an ended session leads to sign-in.
  const endings = root.on('session.ended', () => void router.invalidate());
  const recoveries = root.on('workspace.recovered', () => void router.invalidate());
  return () => {
    adopt();
    navigations.unsubscribe();
    endings.unsubscribe();
    recoveries.unsubscribe();
  };
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ConsoleRouter;
  }
}
