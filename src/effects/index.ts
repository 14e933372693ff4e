/** What is outside of the page's charts, made once per page from its settings and the session that its calls go through. */
import { fromPromise } from 'xstate';
import type { Activation, ActivationRequest } from '#contract/accounts.ts';
import type { SignInRequest, TokenPair } from '#contract/session.ts';
import type { PageSettings } from '#contract/settings.ts';
import type { SessionActor } from '#machines/session/machine.ts';
import type { EmailPurpose } from '#machines/signUp/actors.ts';
import { copyText } from './clipboard.ts';
import { readCsrfToken } from './csrf.ts';
import { createMainApi, type MainApi } from './mainApi.ts';
import { createPreferencesStore } from './preferencesStore.ts';
import { keepReferral, readReferral } from './referral.ts';
import { createSessionActors, createSessionPort, type SessionPort } from './session.ts';
import { createTokens } from './tokens.ts';
import { createWebStorage, type TextStorage } from './webStorage.ts';

export type EffectsOptions = {
  settings: PageSettings;
  /** The running session's actor; asked for only when a call is made, by then the root has started. */
  session: () => SessionActor;
};

/** What the effects of the signed-in half are made from (see console.ts). */
export type Outside = { settings: PageSettings; port: SessionPort; main: MainApi; storage: TextStorage; pageUrl: () => URL };

/** What a form's chart hands to the actor that sends it. */
export type Submitted<Values> = { values: Values };

export type Effects = ReturnType<typeof createEffects>;

/** The browser's implementations of the actors that the public half leaves open. Keeps a referral code of the address, too. */
export function createEffects({ settings, session }: EffectsOptions) {
  const pageUrl = () => new URL(window.location.href);
  const now = () => Date.now();
  const { product, supportEmail } = settings;
  const storage = createWebStorage(() => window.localStorage);
  keepReferral(pageUrl(), storage, product);

  const port = createSessionPort({ session, pageUrl, now });
  const main = createMainApi({ pageUrl, supportEmail, csrfToken: readCsrfToken, session: port });
  const locks = 'locks' in navigator ? navigator.locks : undefined;
  const tokens = createTokens({ storage, api: main, locks, now });
  const outside: Outside = { settings, port, main, storage, pageUrl };

  return {
    outside,
    ...createSessionActors({ tokens, api: main }),
    preferencesStore: createPreferencesStore(storage, product),
    copyText,
    ...accountActors(main, () => readReferral(storage, product)),
  };
}

function accountActors(api: MainApi, referral: () => string | undefined) {
  return {
    requestTokens: fromPromise<TokenPair, Submitted<SignInRequest>>(({ input, signal }) => api.signIn(input.values, signal)),
    // One call for both purposes: the server sends whichever letter fits, and never tells which (ACC-02, ACC-04).
    requestEmail: fromPromise<void, Submitted<{ purpose: EmailPurpose; email: string }>>(async ({ input: { values }, signal }) => {
      const code = values.purpose === 'signUp' ? referral() : undefined;
      await api.verifyEmail({ email: values.email, ...(code === undefined ? {} : { referral: code }) }, signal);
    }),
    readActivation: fromPromise<Activation, { token: string }>(({ input, signal }) => api.readActivation(input.token, signal)),
    activate: fromPromise<TokenPair, Submitted<ActivationRequest & { token: string }>>(({ input, signal }) =>
      api.activate(input.values.token, { password: input.values.password }, signal),
    ),
  };
}
