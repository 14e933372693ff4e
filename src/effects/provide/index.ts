/** The effects of the page's charts, made once per page from its settings and its session. */
import { fromPromise } from 'xstate';
import { beginSso, signIn } from '#contract/api/sessions.ts';
import type { SignInRequest, TokenPair } from '#contract/session.ts';
import type { PageSettings } from '#contract/settings.ts';
import type { SessionActor } from '#machines/session/machine.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import { isOwnPath } from '#machines/shared/wayBack.ts';
import { earlyCalls } from '../../early/calls.ts';
import { firstCalls } from '../../early/plan.ts';
import { copyText } from '../browser/clipboard.ts';
import { readCsrfToken, renewCsrfToken } from '../http/csrf.ts';
import type { BlockNavigation } from '../browser/navigationBlocker.ts';
import { createLeavePage } from '../browser/leavePage.ts';
import { createMainCaller } from '../http/mainCaller.ts';
import type { Caller, Downloader } from '../http/caller.ts';
import { lateCode } from '../../behaviours/late.ts';
import { randomUuid } from '../browser/randomUuid.ts';
import { createPartsActors } from '../browser/parts.ts';
import { createReloadPage } from '../browser/reloadPage.ts';
import { createPreferencesStore } from '../browser/preferencesStore.ts';
import { keepReferral, readReferral } from '../session/referral.ts';
import type { SessionPort } from '../session/port.ts';
import { createSessionActors, createSessionPort } from '../session/session.ts';
import { createSessionApi } from '../session/sessionApi.ts';
import { createSignal, type Signal } from '../browser/signal.ts';
import { createTokens } from '../session/tokens.ts';
import { createViewport } from '../browser/viewport.ts';
import { createWebStorage, type TextStorage } from '../browser/webStorage.ts';

export type EffectsOptions = {
  settings: PageSettings;
  /** The running session's actor. Called only when a call is made, because by then the root has started. */
  session: () => SessionActor;
  blockNavigation: BlockNavigation;
};

/** What console.ts and visitor.ts, which are fetched later, need to make their effects. `call` calls the main API. */
export type Outside = {
  settings: PageSettings;
  port: SessionPort;
  call: Caller;
  download: Downloader;
  /** Notifies that a call was answered 404. */
  missed: Signal;
  storage: TextStorage;
  pageUrl: () => URL;
  pageId: string;
  referral: () => string | undefined;
  blockNavigation: BlockNavigation;
};

export type Effects = ReturnType<typeof createEffects>;

/** Makes the actors that the page needs from its start. Also stores the referral code in the address. */
export function createEffects({ settings, session, blockNavigation }: EffectsOptions) {
  const pageUrl = () => new URL(window.location.href);
  const pageId = randomUuid();
  const now = () => Date.now();
  const { product, supportEmail } = settings;
  const storage = createWebStorage(() => window.localStorage);
  keepReferral(pageUrl(), storage, product);

  const missed = createSignal();
  const port = createSessionPort({ session, pageUrl, now });
  const caller = createMainCaller({
    pageUrl,
    pageId,
    supportEmail,
    csrfToken: readCsrfToken,
    renewCsrf: renewCsrfToken,
    onMissing: () => missed.notify(),
    session: port,
  });
  const api = createSessionApi(caller);
  const locks = 'locks' in navigator ? navigator.locks : undefined;
  const tokens = createTokens({ storage, api, locks, now });
  const outside: Outside = {
    settings,
    port,
    call: caller.call,
    download: caller.download,
    missed,
    storage,
    pageUrl,
    pageId,
    referral: () => readReferral(storage, product),
    blockNavigation,
  };

  return {
    outside,
    /** Whether the page has stored tokens, and so may start with a session; they are verified later. */
    isSessionKept: () => tokens.read() !== null,
    ...createSessionActors({
      tokens,
      api,
      restored: (access) => earlyCalls.begin(access, firstCalls(pageUrl(), settings.speechBaseUrl, access)),
    }),
    preferencesStore: createPreferencesStore(storage, product),
    viewport: createViewport(),
    copyText,
    requestTokens: fromPromise<TokenPair, Submitted<SignInRequest, {}>>(({ input, signal }) =>
      caller.call(signIn, { json: input.values, signal }),
    ),
    requestSignOn: fromPromise<string, { from: string }>(
      async ({ input: { from }, signal }) =>
        (await caller.call(beginSso, { json: isOwnPath(from) ? { from } : {}, signal })).url,
    ),
    leavePage: createLeavePage(),
    ...createPartsActors(lateCode),
    ...createReloadPage(
      createWebStorage(() => window.sessionStorage),
      product,
    ),
  };
}
