import { createTemporaryKey } from '#contract/api/speech.ts';
import { CallError } from '#machines/shared/failure.ts';
import { speechBearer } from '../../early/calls.ts';
import { type Authorization, createCaller } from './caller.ts';
import type { SessionPort } from '../session/port.ts';

/** The shortest life that a slow connection survives; it only limits the opening of the socket. */
const KEY_LIFE_SECONDS = 60;

export type SpeechCallerOptions = {
  /** The page's address: its path names the project, and its origin is used if `speechBaseUrl` is empty. */
  pageUrl: () => URL;
  /** The address of the speech API from the page settings, without `/v1`; empty means the page's own origin. */
  speechBaseUrl: string;
  supportEmail: string;
  session: SessionPort;
  onMissing?: () => void;
};

/** The project of a `/projects/{id}` path; null elsewhere. */
function projectInPath(path: string): string | null {
  return /\/projects\/([^/]+)/.exec(path)?.[1] ?? null;
}

const refuse = (message: string) => new CallError({ message, kind: 'OTHER' });

/** Calls the speech API for the project that the page's path names. */
export function createSpeechCaller({ pageUrl, speechBaseUrl, supportEmail, session, onMissing }: SpeechCallerOptions) {
  const baseUrl = (speechBaseUrl || pageUrl().origin).replace(/\/+$/, '');

  /** @throws CallError outside a project's path and without a session (ERR-03). */
  async function authorize(signal?: AbortSignal, project = projectInPath(pageUrl().pathname)): Promise<Authorization> {
    if (project === null) throw refuse('Project ID not in current path');
    const tokens = await session.tokens(signal);
    if (!tokens) throw refuse('Not logged in (missing jwt)');
    return { headers: { authorization: speechBearer(project, tokens.access) }, access: tokens.access };
  }

  const call = createCaller({
    baseUrl,
    supportEmail,
    authorize: (signal) => authorize(signal),
    onUnauthorized: (access, status) => session.refused(access, status),
    ...(onMissing ? { onMissing } : {}),
  });

  return {
    /** The address of the speech API, without `/v1`. */
    baseUrl,
    /** Authorizes the upload, which does not use `call`. */
    authorize,
    call,
    /** A key that opens one live stream; it must go nowhere but into the stream's first frame (LIV-14). */
    async temporaryKey(signal?: AbortSignal): Promise<string> {
      const { api_key } = await call(createTemporaryKey, {
        json: { usage_type: 'transcribe_websocket', expires_in_seconds: KEY_LIFE_SECONDS, single_use: true },
        signal,
      });
      return api_key;
    },
  };
}
