import { describe, expect, it } from 'vitest';
import { createActor, fromCallback, fromPromise, waitFor } from 'xstate';
import type { TokenPair } from '#contract/session.ts';
import { CallError } from '#machines/shared/failure.ts';
import type { TokensChanged } from '#machines/session/actors.ts';
import { sessionMachine, type SessionEnded } from '#machines/session/machine.ts';
import { later, pair, type Later } from '../people.ts';
import { silenced } from '../silenced.ts';
import { alone } from '../appServices.ts';

const OFFLINE = new CallError({ message: 'Offline.', kind: 'FETCH_ERROR' });

function start(stored: TokenPair | null) {
  const refreshes: { refresh: string; settle: Later<TokenPair> }[] = [];
  const invalidated: string[] = [];
  const saved: (TokenPair | null)[] = [];
  const ended: SessionEnded[] = [];
  const restore = later<TokenPair | null>();
  const signOut = later<void>();
  let otherTab: (event: TokensChanged) => void = () => undefined;
  const session = createActor(
    silenced(alone(sessionMachine)).provide({
      actors: {
        restoreTokens: fromPromise(() => restore.promise),
        refreshTokens: fromPromise(({ input }) => {
          const settle = later<TokenPair>();
          refreshes.push({ ...input, settle });
          return settle.promise;
        }),
        invalidateTokens: fromPromise(({ input }) => {
          invalidated.push(input.refresh);
          return signOut.promise;
        }),
        tokenStore: fromCallback(({ receive, sendBack }) => {
          receive(({ tokens }) => saved.push(tokens));
          otherTab = sendBack;
        }),
      },
    }),
  );
  session.on('session.ended', (event) => ended.push(event));
  session.start();
  if (stored) restore.resolve(stored);
  return {
    session,
    refreshes,
    invalidated,
    saved,
    ended,
    restore,
    signOut,
    changeElsewhere: (tokens: TokenPair | null) => otherTab({ type: 'tokens.changed', tokens }),
  };
}

async function signedIn(stored = pair('a')) {
  const all = start(stored);
  await waitFor(all.session, (snapshot) => snapshot.hasTag('signedIn'));
  return all;
}

describe('on start', () => {
  it('is signed out where there is no good pair, and where that can not be found out', async () => {
    const none = start(null);
    none.restore.resolve(null);
    await waitFor(none.session, (snapshot) => snapshot.matches('signedOut'));
    const broken = start(null);
    broken.restore.reject(OFFLINE);
    await waitFor(broken.session, (snapshot) => snapshot.matches('signedOut'));
    expect(broken.saved).toEqual([]);
  });
});

describe('renewal', () => {
  it('SES-04: calls at or past the expiry share one refresh, and wait for it', async () => {
    const { session, refreshes, saved } = await signedIn(pair('a', 1000));
    session.send({ type: 'call.starting', now: 999.9 });
    expect(refreshes).toHaveLength(0);
    for (let call = 0; call < 3; call++) session.send({ type: 'call.starting', now: 1000 });
    expect(refreshes.map(({ refresh }) => refresh)).toEqual(['refresh-a']);
    expect(session.getSnapshot().hasTag('usable')).toBe(false);
    refreshes[0]?.settle.resolve(pair('b', 2000));
    const { context } = await waitFor(session, (snapshot) => snapshot.hasTag('usable'));
    expect(context.tokens).toEqual(pair('b', 2000));
    expect(saved.at(-1)).toEqual(pair('b', 2000));
  });

  it('SES-05: a failed refresh is only reported; the call goes out with the old token', async () => {
    const { session, refreshes, ended } = await signedIn();
    const failures: string[] = [];
    session.on('refresh.failed', ({ failure }) => failures.push(failure.message));
    session.send({ type: 'call.starting', now: 5000 });
    refreshes[0]?.settle.reject(OFFLINE);
    const { context } = await waitFor(session, (snapshot) => snapshot.hasTag('usable'));
    expect(context.tokens).toEqual(pair('a'));
    expect(failures).toEqual(['Offline.']);
    expect(ended).toEqual([]);
    session.send({ type: 'call.starting', now: 5001 });
    expect(refreshes).toHaveLength(2);
  });
});

describe('the end', () => {
  it('SES-06: a refused call ends the session once, with its path', async () => {
    const { session, saved, ended } = await signedIn();
    session.send({ type: 'call.refused', access: 'access-a', from: '/org/1/?x=1' });
    session.send({ type: 'call.refused', access: 'access-a', from: '/org/1/?x=1' });
    expect(ended).toEqual([{ type: 'session.ended', reason: 'refused', from: '/org/1/?x=1' }]);
    expect(session.getSnapshot().matches('signedOut')).toBe(true);
    expect(session.getSnapshot().context.tokens).toBeNull();
    expect(saved.at(-1)).toBeNull();
  });

  it('a refusal of an older token does not end a newer session', async () => {
    const { session, ended } = await signedIn(pair('new'));
    session.send({ type: 'call.refused', access: 'access-old', from: '/' });
    session.send({ type: 'call.refused', access: null, from: '/' });
    expect(ended).toEqual([]);
    expect(session.getSnapshot().hasTag('signedIn')).toBe(true);
  });

  it.each(['resolve', 'reject'] as const)(
    'SES-08: signing out invalidates the refresh token and clears the session (%s)',
    async (outcome) => {
      const { session, invalidated, ended, saved, signOut } = await signedIn();
      session.send({ type: 'signOut.requested' });
      expect(invalidated).toEqual(['refresh-a']);
      // A call that starts now waits, and finds nobody.
      expect(session.getSnapshot().hasTag('usable')).toBe(false);
      if (outcome === 'resolve') signOut.resolve();
      else signOut.reject(OFFLINE);
      const { context } = await waitFor(session, (snapshot) => snapshot.hasTag('usable'));
      expect(context.tokens).toBeNull();
      expect(ended).toEqual([{ type: 'session.ended', reason: 'signedOut', from: null }]);
      expect(saved.at(-1)).toBeNull();
    },
  );
});

describe('other tabs', () => {
  it('SES-09: signing in keeps the pair and saves it, for them as well', async () => {
    const { session, restore, saved } = start(null);
    restore.resolve(null);
    await waitFor(session, (snapshot) => snapshot.matches('signedOut'));
    session.send({ type: 'signIn.succeeded', tokens: pair('in') });
    expect(session.getSnapshot().hasTag('signedIn')).toBe(true);
    expect(session.getSnapshot().context.tokens).toEqual(pair('in'));
    expect(saved.at(-1)).toEqual(pair('in'));
  });

  it('SES-09: signing out elsewhere ends the session here, signing in brings it back', async () => {
    const { session, ended, changeElsewhere, saved } = await signedIn();
    const before = saved.length;
    changeElsewhere(null);
    expect(ended).toEqual([{ type: 'session.ended', reason: 'elsewhere', from: null }]);
    expect(session.getSnapshot().matches('signedOut')).toBe(true);
    expect(session.getSnapshot().context.tokens).toBeNull();
    changeElsewhere(pair('back'));
    expect(session.getSnapshot().context.tokens).toEqual(pair('back'));
    expect(session.getSnapshot().hasTag('signedIn')).toBe(true);
    expect(saved).toHaveLength(before);
  });

  it('SES-04: a pair that another tab renewed replaces the renewal under way', async () => {
    const { session, refreshes, changeElsewhere } = await signedIn();
    session.send({ type: 'call.starting', now: 5000 });
    changeElsewhere(pair('renewed', 9000));
    expect(session.getSnapshot().hasTag('usable')).toBe(true);
    refreshes[0]?.settle.resolve(pair('late', 8000));
    await Promise.resolve();
    expect(session.getSnapshot().context.tokens).toEqual(pair('renewed', 9000));
    changeElsewhere(pair('older', 100));
    expect(session.getSnapshot().context.tokens).toEqual(pair('renewed', 9000));
    // Also where none is under way.
    changeElsewhere(pair('newer', 9500));
    expect(session.getSnapshot().context.tokens).toEqual(pair('newer', 9500));
  });
});
