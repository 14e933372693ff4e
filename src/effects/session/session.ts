import { fromCallback, fromPromise, waitFor } from 'xstate';
import { TOKEN_STORAGE_KEY, UNAUTHENTICATED_EVENT, type TokenPair } from '#contract/session.ts';
import type { TokensChanged, TokensSaved } from '#machines/session/actors.ts';
import type { SessionActor } from '#machines/session/machine.ts';
import type { SessionPort } from './port.ts';
import type { SessionApi } from './sessionApi.ts';
import type { Tokens } from './tokens.ts';
import { onStorageChange } from '../browser/webStorage.ts';

export type SessionPortOptions = {
  /** The session's actor. Looked up at each call, because the actor starts after the effects are made. */
  session: () => SessionActor;
  pageUrl: () => URL;
  /** Milliseconds since the epoch. */
  now: () => number;
};

/** The session's actor as a port for the API clients. */
export function createSessionPort({ session, pageUrl, now }: SessionPortOptions): SessionPort {
  return {
    tokens: async (signal) => {
      signal?.throwIfAborted();
      const actor = session();
      actor.send({ type: 'call.starting', now: now() / 1000 });
      const usable = await waitFor(actor, (snapshot) => snapshot.hasTag('usable'), signal ? { signal } : {});
      return usable.context.tokens;
    },
    refused: (access, status) => {
      const { pathname, search } = pageUrl();
      session().send({ type: 'call.refused', access, from: pathname + search, isForbidden: status === 403 });
    },
    deleted: () => session().send({ type: 'account.deleted' }),
  };
}

export type SessionActorsOptions = {
  tokens: Tokens;
  api: Pick<SessionApi, 'invalidate'>;
  /** Called with the page's first valid access token. */
  restored: (access: string) => void;
  /** Reports writes by other tabs. */
  page?: Pick<Window, 'addEventListener' | 'removeEventListener'>;
};

/** The actors of the session's chart. */
export function createSessionActors({ tokens, api, restored, page = window }: SessionActorsOptions) {
  return {
    restoreTokens: fromPromise<TokenPair | null, void>(async ({ signal }) => {
      const pair = await tokens.restore(signal);
      if (pair) restored(pair.access);
      return pair;
    }),
    refreshTokens: fromPromise<TokenPair, { refresh: string }>(({ signal }) => tokens.refresh(signal)),
    invalidateTokens: fromPromise<void, { refresh: string }>(async ({ input, signal }) => {
      await api.invalidate({ refresh: input.refresh, access: tokens.read()?.access ?? null }, signal);
    }),
    tokenStore: fromCallback<TokensSaved, void>(({ sendBack, receive }) => {
      const sendTokens = (pair: TokenPair | null) => {
        const event: TokensChanged = { type: 'tokens.changed', tokens: pair };
        sendBack(event);
      };
      receive((saved) => {
        if (saved.tokens === null) tokens.clear();
        else {
          const kept = tokens.keep(saved.tokens);
          if (kept !== saved.tokens) sendTokens(kept);
        }
      });
      return onStorageChange(page, TOKEN_STORAGE_KEY, () => sendTokens(tokens.read()));
    }),
  };
}

/**
 * Dispatches a browser event with the page's address when a call has ended the session (SES-06), and logs a failed
 * renewal (SES-05). Call it before the router loads; returns the undo.
 */
export function dispatchSessionEvents(
  session: SessionActor,
  page: EventTarget = window,
  // The only log that a requirement asks for (SES-05).
  // oxlint-disable-next-line no-console
  log: (text: string) => void = (text) => console.warn(text),
): () => void {
  const subscriptions = [
    session.on('session.ended', ({ reason, from }) => {
      if (reason === 'refused' || reason === 'forbidden')
        page.dispatchEvent(new CustomEvent(UNAUTHENTICATED_EVENT, { detail: { path: from } }));
    }),
    session.on('refresh.failed', ({ failure }) => log(`The session could not be renewed: ${failure.message}`)),
  ];
  return () => subscriptions.forEach((subscription) => subscription.unsubscribe());
}
