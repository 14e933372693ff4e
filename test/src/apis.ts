import { vi } from 'vitest';
import { createMainCaller } from '#src/effects/http/mainCaller.ts';
import { createSpeechCaller } from '#src/effects/http/speechCaller.ts';
import type { SessionPort } from '#src/effects/session/port.ts';
import { createSessionApi } from '#src/effects/session/sessionApi.ts';

export const PAIR = { access: 'acc', refresh: 'ref', access_expires_at: 2_000_000_000 };
export const SUPPORT_EMAIL = 'help@example.com';
/** What is said of a failure of which nothing better is known. */
export const FALLBACK = `Something went wrong. Check your connection and try again. If the problem persists contact ${SUPPORT_EMAIL}.`;

type Setting = Partial<Parameters<typeof createMainCaller>[0]> & {
  signedIn?: boolean;
  path?: string;
  speechBaseUrl?: string;
};

/** The APIs of a page at an address of a server, with a session that notes what it is told. */
export function apisAt(origin: string, { signedIn = true, path = '/', speechBaseUrl = '', ...more }: Setting = {}) {
  const session: SessionPort = {
    tokens: () => Promise.resolve(signedIn ? PAIR : null),
    refused: vi.fn(),
    deleted: vi.fn(),
  };
  const page = { pageUrl: () => new URL(path, origin), supportEmail: SUPPORT_EMAIL, session, ...more };
  const caller = createMainCaller({ csrfToken: () => 'csrf-1', pageId: 'page-1', ...page });
  const speech = createSpeechCaller({ speechBaseUrl, ...page });
  return { ...caller, session, own: createSessionApi(caller), speech };
}
