import { createMemoryHistory, createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { expect, it } from 'vitest';
import type { DepartureTried, Guard } from '#machines/workspace/leaveGuard/actors.ts';
import type { Route } from '#machines/shared/route.ts';
import { type Attempt, createNavigationBlocker } from '#src/effects/browser/navigationBlocker.ts';
import { blockNavigation } from '#src/router.ts';
import { noted } from '../../noted.ts';

const HERE: Route = { screen: 'apiKeys', orgUuid: 'o1', projectUuid: 'p1' };
const AWAY: Route = { screen: 'user' };

/** The effect that holds addresses, with a guard that takes every way from the screen, and what is tried from outside. */
function guarded() {
  const asked = new Set<(attempt: Attempt) => boolean>();
  const gone: Route[] = [];
  const told: DepartureTried[] = [];
  const navigationBlocker = createNavigationBlocker((isBlocked) => {
    asked.add(isBlocked);
    return () => void asked.delete(isBlocked);
  });
  const guard: Guard = {
    getSnapshot: () => ({ can: ({ from, to }) => from.screen !== to.screen }),
    send: (event) => void told.push(event),
  };
  const { actor, stop } = noted(navigationBlocker, { guard });
  const go = (to: Route): boolean =>
    [...asked].some((isBlocked) => isBlocked({ from: HERE, to, repeat: () => void gone.push(to) }));
  return { go, gone, told, asked, release: () => actor.send({ type: 'departure.released' }), stop };
}

it('CON-01: navigation is blocked as long as the effect runs, and only where the chart takes the try', () => {
  const { go, told, asked, stop } = guarded();
  expect(go({ ...HERE, isCreating: true })).toBe(false);
  expect(told).toEqual([]);
  expect(go(AWAY)).toBe(true);
  expect(told).toEqual([{ type: 'departure.tried', from: HERE, to: AWAY }]);
  stop();
  expect(asked.size).toBe(0);
});

it('CON-01: the last try is gone once it is released, and none before', () => {
  const { go, gone, release } = guarded();
  go({ screen: 'home' });
  go(AWAY);
  expect(gone).toEqual([]);
  release();
  release();
  expect(gone).toEqual([AWAY]);
});

it('CON-01: the history keeps its address while it is asked, and goes on after that', async () => {
  const root = createRootRoute();
  const history = createMemoryHistory({ initialEntries: ['/signin/'] });
  const router = createRouter({
    routeTree: root.addChildren(
      ['/signin/', '/user/'].map((path) => createRoute({ getParentRoute: () => root, path })),
    ),
    history,
  });
  let attempt: Attempt | undefined;
  // The router of the console has more routes; holding asks no more of it.
  const release = blockNavigation(
    history,
    () => router as never,
  )((tried) => {
    attempt = tried;
    return true;
  });
  // Blocking asks whether there is a page.
  Reflect.set(globalThis, 'document', {});
  history.push('/user/?poi=o1');
  await Promise.resolve();
  expect(history.location.pathname).toBe('/signin/');
  expect(attempt).toMatchObject({ from: { screen: 'signIn' } });
  attempt?.repeat();
  expect(history.location.href).toBe('/user/?poi=o1');
  Reflect.deleteProperty(globalThis, 'document');
  release();
});
