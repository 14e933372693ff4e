import { expect } from 'vitest';
import { sessionMachine } from '#machines/session/machine.ts';
import { pair } from '../test/machines/people.ts';
import { describeWalk, doneBy } from './walk.ts';

describeWalk(sessionMachine, {
  cases: {
    'xstate.done.actor.restoreTokens': [doneBy('restoreTokens', null), doneBy('restoreTokens', pair('stored'))],
    'xstate.done.actor.refreshTokens': [doneBy('refreshTokens', pair('fresh', 2000))],
    'call.starting': [{ type: 'call.starting', now: 5000 }],
    'call.refused': ({ context }) => [{ type: 'call.refused', access: context.tokens?.access ?? null, from: '/' }],
    'signIn.succeeded': [{ type: 'signIn.succeeded', tokens: pair('signIn') }],
    'tokens.changed': [{ type: 'tokens.changed', tokens: null }, { type: 'tokens.changed', tokens: pair('other', 3000) }],
  },
  states: {
    resolving: (snapshot) => { expect([...snapshot.tags]).toEqual(['loading']); },
    'signedIn.refreshing': (snapshot) => { expect(snapshot.hasTag('usable')).toBe(false); },
    'signedIn.fresh': (snapshot) => { expect(snapshot.context.tokens).not.toBeNull(); },
    'signedIn.usingOld': (snapshot) => { expect(snapshot.hasTag('usable')).toBe(true); },
    signedOut: (snapshot) => { expect(snapshot.context.tokens).toBeNull(); },
  },
});
