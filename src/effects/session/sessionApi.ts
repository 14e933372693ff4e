/** Calls of the main API for sign-in and session; part of every page's first file. */
import { refreshSession, signOut, verifyAccess } from '#contract/api/sessions.ts';
import type { MainCaller } from '../http/mainCaller.ts';

export type SessionApi = ReturnType<typeof createSessionApi>;

/** The calls that check, renew and end a session. */
export function createSessionApi({ callAs }: Pick<MainCaller, 'callAs'>) {
  type Signal = AbortSignal | undefined;
  return {
    /** Without the access token, which may have expired: the refresh token is the credential. */
    refresh: (refresh: string, signal?: Signal) => callAs(null)(refreshSession, { json: { refresh }, signal }),
    verify: (access: string, signal?: Signal) => callAs(access)(verifyAccess, { json: { token: access }, signal }),
    invalidate: ({ access, refresh }: { access: string | null; refresh: string }, signal?: Signal) =>
      callAs(access)(signOut, { json: { refresh }, signal }),
  };
}
