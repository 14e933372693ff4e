// Models whether somebody is signed in on this device, and refreshes the tokens (SES-01 to SES-10).
// Owned by the root, for as long as the page lives.
import { assign, emit, setup, type ActorRefFrom } from 'xstate';
import type { TokenPair } from '#contract/session.ts';
import { toFailure, type Failure } from '../shared/failure.ts';
import { notifyParent } from '../shared/notifyParent.ts';
import {
  invalidateTokens,
  refreshTokens,
  restoreTokens,
  tokenStore,
  type TokensChanged,
  type TokensSaved,
} from './actors.ts';
import { withEvent } from '../shared/withEvent.ts';

type SessionStarted = { type: 'session.started' };
/**
 * `from` is the path of the page whose call was refused; null if none was. `forbidden`: the person lacks a right;
 * `elsewhere`: another tab ended it; `deleted`: the account was deleted.
 */
export type SessionEnded = {
  type: 'session.ended';
  reason: 'refused' | 'forbidden' | 'signedOut' | 'elsewhere' | 'deleted';
  from: string | null;
};
/** The person signs out: actors that use the session end now, while its tokens are still valid. */
export type SessionEnding = { type: 'session.ending' };
export type SessionNotice = SessionStarted | SessionEnded;

export type SessionEvent =
  /** `now` in seconds since the epoch. */
  | { type: 'call.starting'; now: number }
  /** `access` is the token of the refused call; `isForbidden` marks a missing right (403). */
  | { type: 'call.refused'; access: string | null; from: string; isForbidden?: boolean }
  | { type: 'signIn.succeeded'; tokens: TokenPair }
  | { type: 'signOut.requested' }
  /** The server has already ended the session with the account. */
  | { type: 'account.deleted' }
  | TokensChanged;

/** Statuses that end a session. */
const REFUSALS: readonly number[] = [401, 403];

export const sessionMachine = setup({
  types: {} as {
    context: { tokens: TokenPair | null };
    events: SessionEvent;
    emitted: SessionNotice | { type: 'refresh.failed'; failure: Failure };
    tags: 'usable' | 'signedIn' | 'loading';
    children: {
      tokenStore: 'tokenStore';
      restoreTokens: 'restoreTokens';
      refreshTokens: 'refreshTokens';
      invalidateTokens: 'invalidateTokens';
    };
  },
  actors: { restoreTokens, refreshTokens, invalidateTokens, tokenStore },
  guards: {
    hasTokens: (_, { tokens }: { tokens: TokenPair | null }) => tokens !== null,
    isExpired: ({ context }, { now }: { now: number }) =>
      context.tokens !== null && now >= context.tokens.access_expires_at,
    // Whether the refused call used the present tokens, not those before a refresh or another sign-in.
    isAboutPresent: ({ context }, { access }: { access: string | null }) =>
      access !== null && access === context.tokens?.access,
    isNewer: ({ context }, { tokens }: { tokens: TokenPair | null }) =>
      tokens !== null &&
      tokens.access !== context.tokens?.access &&
      tokens.access_expires_at >= (context.tokens?.access_expires_at ?? 0),
    isRefusal: (_, { error }: { error: unknown }) => REFUSALS.includes(toFailure(error).status ?? 0),
    isCleared: (_, { tokens }: { tokens: TokenPair | null }) => tokens === null,
  },
  actions: {
    keep: assign((_, { tokens }: { tokens: TokenPair | null }) => ({ tokens })),
    forget: assign({ tokens: null }),
    // Not `sendTo`, which in development builds prints undelivered events: these are secrets.
    save: ({ context, self }) => {
      const store = self.getSnapshot().children['tokenStore'];
      if (store?.getSnapshot().status === 'active')
        store.send({ type: 'tokens.saved', tokens: context.tokens } satisfies TokensSaved);
    },
    notifyParent: notifyParent<SessionNotice | SessionEnding>(),
    emitStart: emit({ type: 'session.started' }),
    emitEnd: emit((_, end: Omit<SessionEnded, 'type'>) => ({ type: 'session.ended' as const, ...end })),
    emitRefreshFailure: emit((_, { error }: { error: unknown }) => ({
      type: 'refresh.failed' as const,
      failure: toFailure(error),
    })),
  },
}).createMachine({
  id: 'session',
  context: { tokens: null },
  invoke: { id: 'tokenStore', src: 'tokenStore' },
  initial: 'resolving',
  states: {
    resolving: {
      tags: 'loading',
      invoke: {
        id: 'restoreTokens',
        src: 'restoreTokens',
        onDone: [
          {
            guard: { type: 'hasTokens', params: ({ event }) => ({ tokens: event.output }) },
            target: 'signedIn',
            actions: [{ type: 'keep', params: ({ event }) => ({ tokens: event.output }) }, 'save'],
          },
          { target: 'signedOut', actions: 'save' },
        ],
        onError: [
          {
            guard: withEvent('isRefusal'),
            target: 'signedOut',
            actions: [
              'save',
              { type: 'notifyParent', params: { type: 'session.ended', reason: 'refused', from: null } },
            ],
          },
          { target: 'signedOut' },
        ],
      },
      on: {
        'tokens.changed': {
          guard: withEvent('hasTokens'),
          target: 'signedIn',
          actions: withEvent('keep'),
        },
      },
    },
    signedIn: {
      tags: 'signedIn',
      entry: ['emitStart', { type: 'notifyParent', params: { type: 'session.started' } }],
      initial: 'fresh',
      on: {
        'call.refused': {
          guard: withEvent('isAboutPresent'),
          target: 'signedOut',
          actions: [
            'forget',
            'save',
            {
              type: 'emitEnd',
              params: ({ event }) => ({
                reason: event.isForbidden === true ? 'forbidden' : 'refused',
                from: event.from,
              }),
            },
            {
              type: 'notifyParent',
              params: ({ event }) => ({
                type: 'session.ended',
                reason: event.isForbidden === true ? 'forbidden' : 'refused',
                from: event.from,
              }),
            },
          ],
        },
        'signIn.succeeded': { target: 'signedIn', reenter: true, actions: [withEvent('keep'), 'save'] },
        'signOut.requested': 'signingOut',
        'account.deleted': {
          target: 'signedOut',
          actions: [
            'forget',
            'save',
            { type: 'emitEnd', params: { reason: 'deleted', from: null } },
            { type: 'notifyParent', params: { type: 'session.ended', reason: 'deleted', from: null } },
          ],
        },
        'tokens.changed': [
          { guard: withEvent('isNewer'), target: '.fresh', actions: withEvent('keep') },
          {
            guard: withEvent('isCleared'),
            target: 'signedOut',
            actions: [
              'forget',
              { type: 'emitEnd', params: { reason: 'elsewhere', from: null } },
              { type: 'notifyParent', params: { type: 'session.ended', reason: 'elsewhere', from: null } },
            ],
          },
        ],
      },
      states: {
        fresh: {
          tags: 'usable',
          on: { 'call.starting': { guard: withEvent('isExpired'), target: 'refreshing' } },
        },
        // Not usable: calls that start meanwhile wait for this refresh.
        refreshing: {
          invoke: {
            id: 'refreshTokens',
            src: 'refreshTokens',
            input: ({ context }) => ({ refresh: context.tokens?.refresh ?? '' }),
            onDone: {
              target: 'fresh',
              actions: [{ type: 'keep', params: ({ event }) => ({ tokens: event.output }) }, 'save'],
            },
            onError: { target: 'usingOld', actions: withEvent('emitRefreshFailure') },
          },
        },
        usingOld: {
          tags: 'usable',
          on: { 'call.starting': { guard: withEvent('isExpired'), target: 'refreshing' } },
        },
      },
    },
    // Not usable: the token of a call that starts now would end before the answer.
    signingOut: {
      tags: 'signedIn',
      entry: { type: 'notifyParent', params: { type: 'session.ending' } },
      invoke: {
        id: 'invalidateTokens',
        src: 'invalidateTokens',
        input: ({ context }) => ({ refresh: context.tokens?.refresh ?? '' }),
        onDone: 'signedOff',
        // Somebody who signs out must get out, also offline (SES-08); on the server the session then ends by its age.
        onError: 'signedOff',
      },
    },
    signedOff: {
      entry: [
        'forget',
        'save',
        { type: 'emitEnd', params: { reason: 'signedOut', from: null } },
        { type: 'notifyParent', params: { type: 'session.ended', reason: 'signedOut', from: null } },
      ],
      always: 'signedOut',
    },
    signedOut: {
      tags: 'usable',
      on: {
        'signIn.succeeded': { target: 'signedIn', actions: [withEvent('keep'), 'save'] },
        'tokens.changed': {
          guard: withEvent('hasTokens'),
          target: 'signedIn',
          actions: withEvent('keep'),
        },
      },
    },
  },
});

export type SessionActor = ActorRefFrom<typeof sessionMachine>;
