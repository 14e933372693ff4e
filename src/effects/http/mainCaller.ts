import { CSRF_HEADER, PAGE_HEADER } from '#contract/session.ts';
import { mainBearer } from '../../early/calls.ts';
import { type Caller, type CallerOptions, createCaller, createDownloader, type Downloader } from './caller.ts';
import type { SessionPort } from '../session/port.ts';

export type MainCallerOptions = {
  /** The page's address; its origin answers the main API. */
  pageUrl: () => URL;
  /** The page's random id, by which it knows its own changes in the stream of events. */
  pageId: string;
  supportEmail: string;
  csrfToken: () => string | null;
  /** Takes the token that came with a refusal (CON-07). */
  renewCsrf?: () => void;
  /** A call of a signed-in person was answered 404. */
  onMissing?: () => void;
  /** Looked up per call: the session's actor starts after the effects are made. */
  session: SessionPort;
};

export type MainCaller = {
  /** Waits until the session is decided, so that an expired pair is refreshed first (SES-04). */
  call: Caller;
  /** Like `call`, for files: the token is in a header, never in an address. */
  download: Downloader;
  /** A caller for the session's own calls: it does not wait for the session, which handles a refusal itself. */
  callAs: (access: string | null) => Caller;
};

/** Callers of the main API, with a session's token or, without a session, the page's CSRF token (SES-02, SES-03). */
export function createMainCaller({
  pageUrl,
  pageId,
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
      return tokens
        ? { headers: { ...bearer(tokens.access), [PAGE_HEADER]: pageId }, access: tokens.access }
        : { headers: csrf(), access: null };
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
