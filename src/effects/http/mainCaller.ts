import { CSRF_HEADER } from '#contract/session.ts';
import { mainBearer } from '../../early/calls.ts';
import { type Caller, type CallerOptions, createCaller, createDownloader, type Downloader } from './caller.ts';
import type { SessionPort } from '../session/port.ts';

export type MainCallerOptions = {
  /** Of the page; its origin answers the main API. */
  pageUrl: () => URL;
  supportEmail: string;
  csrfToken: () => string | null;
  /** Takes the token that came with a refusal (CON-07). */
  renewCsrf?: () => void;
  /** A call of who is signed in was told that there is no such thing. */
  onMissing?: () => void;
  /** Looked up per call: the session's actor starts after the effects are made. */
  session: SessionPort;
};

export type MainCaller = {
  /** Waits until the session is decided, so that an expired pair is refreshed first (SES-04). */
  call: Caller;
  /** Fetches files in the same way: the token is in a header, never in an address. */
  download: Downloader;
  /** For the calls by which the session decides: they wait for nothing, and a refusal is the session's own affair. */
  callAs: (access: string | null) => Caller;
};

/** Callers of the main API, with a session's token or, without a session, the page's CSRF token (SES-02, SES-03). */
export function createMainCaller({
  pageUrl,
  supportEmail,
  csrfToken,
  renewCsrf,
  onMissing,
  session,
}: MainCallerOptions): MainCaller {
  const baseUrl = pageUrl().origin;
  const csrf = () => {
    const token = csrfToken();
    return token === null ? {} : { [CSRF_HEADER]: token };
  };
  const renewal = renewCsrf ? { renewCsrf } : {};
  const ofSession: CallerOptions = {
    baseUrl,
    supportEmail,
    authorize: async (signal) => {
      const tokens = await session.tokens(signal);
      return tokens ? { headers: bearer(tokens.access), access: tokens.access } : { headers: csrf(), access: null };
    },
    onUnauthorized: (access, status) => session.refused(access, status),
    ...(onMissing ? { onMissing } : {}),
    ...renewal,
  };
  return {
    call: createCaller(ofSession),
    download: createDownloader(ofSession),
    callAs: (access) =>
      createCaller({
        baseUrl,
        supportEmail,
        authorize: () => ({ headers: { ...csrf(), ...(access === null ? {} : bearer(access)) }, access: null }),
        onUnauthorized: () => undefined,
        ...renewal,
      }),
  };
}

const bearer = (access: string) => ({ authorization: mainBearer(access) });
