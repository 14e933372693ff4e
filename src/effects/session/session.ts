import { fromCallback, fromPromise, waitFor } from 'xstate';
import { TOKEN_STORAGE_KEY, UNAUTHENTICATED_EVENT, type TokenPair } from '#contract/session.ts';
import type { TokensChanged, TokensSaved } from '#machines/session/actors.ts';
import type { SessionActor } from '#machines/session/machine.ts';
import type { SessionPort } from './port.ts';
import type { SessionApi } from './sessionApi.ts';
import type { Tokens } from './tokens.ts';
import { onStorageChange } from '../browser/webStorage.ts';

export type SessionPortOptions = {
  /** Looked up per call: the actor starts after the effects are made. */
  session: () => SessionActor;
  pageUrl: () => URL;
  /** Milliseconds since the epoch. */
  now: () => number;
};

/** The session's actor as the API clients see it. */
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
  /** Told the access token that the page starts with, as soon as it is good. */
  restored: (access: string) => void;
  /** The page that tells of other tabs' writes. */
  page?: Pick<Window, 'addEventListener' | 'removeEventListener'>;
};

/** The actors that the session's chart asks for. */
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
 * Raises the global browser event with the path of the refused call where a call has ended the session (SES-06), and
 * logs a failed renewal (SES-05). Bind it before the router loads; returns the undo.
 */
export function dispatchSessionEvents(
  session: SessionActor,
  page: EventTarget = window,
  // The one thing that the spec wants logged.
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
