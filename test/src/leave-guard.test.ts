import { createMemoryHistory, createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { expect, it } from 'vitest';
import { createActor } from 'xstate';
import type { DepartureTried } from '#machines/workspace/leaving/actors.ts';
import { leavingMachine } from '#machines/workspace/leaving/machine.ts';
import type { Route } from '#machines/shared/route.ts';
import { secretRevealMachine } from '#machines/shared/secretReveal/machine.ts';
import { type Attempt, createNavigationBlocker } from '#src/effects/browser/navigationBlocker.ts';
import { blockNavigation } from '#src/router.ts';

const HERE: Route = { screen: 'apiKeys', orgUuid: 'o1', projectUuid: 'p1' };
const AWAY: Route = { screen: 'user' };

/** The guard with the effect that holds addresses, and what is tried from outside. */
function guarded() {
  const asked = new Set<(attempt: Attempt) => boolean>();
  const gone: Route[] = [];
  const navigationBlocker = createNavigationBlocker((isBlocked) => {
    asked.add(isBlocked);
    return () => void asked.delete(isBlocked);
  });
  const guard = createActor(leavingMachine.provide({ actors: { navigationBlocker } })).start();
  const go = (to: Route): boolean =>
    [...asked].some((isBlocked) => isBlocked({ from: HERE, to, repeat: () => void gone.push(to) }));
  return { guard, go, gone, asked };
}

it('CON-01: navigation is blocked only while something is at stake, and only where the chart takes the try', () => {
  const { guard, go, asked } = guarded();
  expect(asked.size).toBe(0);
  guard.send({ type: 'stake.raised', id: '1', stake: { kind: 'form', scope: 'screen' } });
  expect(asked.size).toBe(1);
  expect(go({ ...HERE, asks: true })).toBe(false);
  expect(guard.getSnapshot().hasTag('asking')).toBe(false);
  expect(go(AWAY)).toBe(true);
  expect(guard.getSnapshot().hasTag('asking')).toBe(true);
  guard.send({ type: 'stake.lifted', id: '1' });
  expect(asked.size).toBe(0);
});

it('CON-01: after Leave the last try is gone, after Stay none; on the way nobody is asked again', () => {
  const { guard, go, gone } = guarded();
  guard.send({ type: 'stake.raised', id: '1', stake: { kind: 'form', scope: 'screen' } });
  go(AWAY);
  guard.send({ type: 'stay.chosen' });
  go({ screen: 'home' });
  go(AWAY);
  guard.send({ type: 'leave.chosen' });
  expect(gone).toEqual([AWAY]);
  const on: DepartureTried = { type: 'departure.tried', from: AWAY, to: { screen: 'home' } };
  expect(guard.getSnapshot().can(on)).toBe(false);
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

it('PRJ-03: a secret is at stake until it is copied or given up', () => {
  const reveal = createActor(secretRevealMachine, { input: { secret: 'prl_0123456789', name: 'CI' } }).start();
  expect(Object.keys(reveal.getSnapshot().children)).toEqual(['stake']);
  reveal.send({ type: 'dismiss.requested' });
  expect(Object.keys(reveal.getSnapshot().children)).toEqual(['stake']);
  reveal.send({ type: 'dismiss.confirmed' });
  expect(reveal.getSnapshot().status).toBe('done');
});
