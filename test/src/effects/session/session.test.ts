import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createActor, waitFor } from 'xstate';
import { readUser } from '#contract/api/user.ts';
import { TOKEN_STORAGE_KEY, UNAUTHENTICATED_EVENT, type TokenPair } from '#contract/session.ts';
import type { TokensChanged } from '#machines/session/actors.ts';
import { sessionMachine } from '#machines/session/machine.ts';
import { createMainCaller } from '#src/effects/http/mainCaller.ts';
import { dispatchSessionEvents, createSessionActors, createSessionPort } from '#src/effects/session/session.ts';
import { createSessionApi } from '#src/effects/session/sessionApi.ts';
import { createTokens } from '#src/effects/session/tokens.ts';
import { createWebStorage } from '#src/effects/browser/webStorage.ts';
import { answeringServer, refusal, type Asked, type Reply } from '../../answering-server.ts';
import { MemoryStorage } from '../../fake-storage.ts';
import { noted } from '../../noted.ts';
import { alone } from '../../../machines/appServices.ts';

const NOW = 1_700_000_000;
const pairOf = (n: number, expiresIn: number): TokenPair => ({
  access: `a${n}`,
  refresh: `r${n}`,
  access_expires_at: NOW + expiresIn,
});
const ANN = { uuid: 'c0ffee00-1d2e-4f3a-8b4c-5d6e7f809a66', email: 'a@b.c', name: '', has_password: true };
const EXPIRED = pairOf(1, 0);
const FRESH = pairOf(2, 600);

/** One local storage that several tabs share; as in a browser, the others are told of a write. */
class SharedStorage extends MemoryStorage {
  readonly tabs: EventTarget[] = [];
  by(tab: EventTarget): Storage {
    this.tabs.push(tab);
    const tell = (key: string) => {
      for (const other of this.tabs)
        if (other !== tab) other.dispatchEvent(Object.assign(new Event('storage'), { key }));
    };
    const telling = (key: string, write: () => void): undefined => {
      const before = this.getItem(key);
      write();
      if (this.getItem(key) !== before) tell(key);
    };
    const own = new MemoryStorage();
    own.getItem = this.getItem;
    own.setItem = (key, value) => telling(key, () => this.setItem(key, value));
    own.removeItem = (key) => telling(key, () => this.removeItem(key));
    return own;
  }
}

/** Web Locks among the tabs of one test: one holder at a time, in order. */
function fakeLocks(): Pick<LockManager, 'request'> {
  let last: Promise<unknown> = Promise.resolve();
  const request = (_name: string, _options: unknown, run: () => Promise<unknown>) => {
    const result = last.then(run);
    last = result.catch(() => undefined);
    return result;
  };
  return { request: request as LockManager['request'] };
}

type Setting = {
  stored?: TokenPair | string;
  answer: (asked: Asked) => Reply | Promise<Reply>;
  locks?: Pick<LockManager, 'request'> | undefined;
};

async function browser({ stored, answer, locks = fakeLocks() }: Setting) {
  const server = await answeringServer(answer);
  const shared = new SharedStorage();
  if (stored) shared.setItem(TOKEN_STORAGE_KEY, typeof stored === 'string' ? stored : JSON.stringify(stored));
  const keptPair = () => JSON.parse(shared.getItem(TOKEN_STORAGE_KEY) ?? 'null') as unknown;

  /** A tab whose session has not begun. */
  function newTab() {
    const page = new EventTarget();
    const storage = createWebStorage(() => own);
    const own = shared.by(page);
    const pageUrl = () => new URL('/user/?poi=1', server.origin);
    const now = () => NOW * 1000;
    const port = createSessionPort({ session: () => session, pageUrl, now });
    const caller = createMainCaller({
      pageUrl,
      pageId: 'page-1',
      supportEmail: 'help@example.com',
      csrfToken: () => 'csrf',
      session: port,
    });
    const api = createSessionApi(caller);
    const tokens = createTokens({ storage, api, locks, now });
    const actors = createSessionActors({ tokens, api, restored: () => undefined, page: page as Window });
    const session = createActor(alone(sessionMachine).provide({ actors }));
    return { page, caller, actors, session };
  }

  function openTab() {
    const { page, caller, session } = newTab();
    onTestFinished(() => void session.stop());
    const log = vi.fn<(text: string) => void>();
    dispatchSessionEvents(session, page, log);
    session.start();
    const resolved = () => waitFor(session, (snapshot) => !snapshot.hasTag('loading'));
    /** With this pair, whatever the page began with. */
    const signIn = async (tokens: TokenPair) => {
      await resolved();
      session.send({ type: 'signIn.succeeded', tokens });
    };
    const readOwner = () => caller.call(readUser, {});
    return { page, session, readOwner, log, resolved, signIn };
  }
  /** What keeps the pair in one more tab, with what it tells the session there. */
  const openStore = () => noted<TokensChanged>(newTab().actors.tokenStore);
  return { ...server, openTab, openStore, keptPair };
}

/** Answers like the server: rotates once per refresh token, knows the good access tokens. */
function rotating(good: Set<string>, next: TokenPair = FRESH) {
  const used = new Set<string>();
  return ({ path, body, headers }: Asked): Reply => {
    const { refresh, token } = JSON.parse(body || '{}') as { refresh?: string; token?: string };
    if (path.endsWith('/refresh/')) {
      if (!refresh || used.has(refresh)) return { status: 401, body: refusal('Used.') };
      used.add(refresh);
      good.add(next.access);
      return { body: next };
    }
    if (path.endsWith('/verify/')) return good.has(token ?? '') ? {} : { status: 401, body: refusal('Bad.') };
    return good.has(String(headers.authorization).replace('Bearer ', ''))
      ? { body: ANN }
      : { status: 401, body: refusal('Signed out.') };
  };
}

describe('the session against a server', () => {
  it.each([
    ['no JSON', '{"access":'],
    ['another shape', '{"access":1}'],
  ])('SES-01: a stored value that is %s counts as signed out and is removed', async (_, stored) => {
    const { openTab, keptPair, asked } = await browser({ stored, answer: () => ({}) });
    const snapshot = await openTab().resolved();
    expect(snapshot.matches('signedOut')).toBe(true);
    expect([keptPair(), asked]).toEqual([null, []]);
  });

  it('SES-10: a stored pair is verified before the console shows', async () => {
    const { openTab, asked } = await browser({ stored: FRESH, answer: rotating(new Set(['a2'])) });
    const snapshot = await openTab().resolved();
    expect(snapshot.context.tokens).toEqual(FRESH);
    expect(asked.map(({ path, body }) => [path, body])).toEqual([['/api/v2/token/verify/', '{"token":"a2"}']]);
  });

  it('SES-10: an expired pair is refreshed at start and kept', async () => {
    const { openTab, keptPair } = await browser({ stored: EXPIRED, answer: rotating(new Set()) });
    expect((await openTab().resolved()).context.tokens).toEqual(FRESH);
    expect(keptPair()).toEqual(FRESH);
  });

  it('SES-10: a pair that is no longer good gets one try at a refresh, then the session is over', async () => {
    const early = { ...FRESH, access: 'revoked', refresh: 'r9' };
    const again = await browser({ stored: early, answer: rotating(new Set(), pairOf(3, 900)) });
    expect((await again.openTab().resolved()).context.tokens).toEqual(pairOf(3, 900));
    const over = await browser({ stored: early, answer: () => ({ status: 401, body: refusal('No.') }) });
    expect((await over.openTab().resolved()).matches('signedOut')).toBe(true);
    expect(over.keptPair()).toBeNull();
  });

  it.each([
    ['no answer', 'cut' as const],
    ['a failing server', { status: 500, body: refusal('Broken.') }],
    ['a page out of date', { status: 400, body: refusal('Reload.', { error_type: 'csrf_failed' }) }],
  ])('SES-10: %s does not sign anyone out', async (_, reply) => {
    for (const stored of [FRESH, EXPIRED]) {
      const { openTab, keptPair } = await browser({ stored, answer: () => reply });
      expect((await openTab().resolved()).context.tokens).toEqual(stored);
      expect(keptPair()).toEqual(stored);
    }
  });

  it('SES-04: a call at an expired pair leaves after the refresh, with the new token', async () => {
    const { openTab, asked } = await browser({ answer: rotating(new Set()) });
    const tab = openTab();
    await tab.signIn(EXPIRED);
    await tab.readOwner();
    expect(asked.map(({ path, body, headers }) => [path, body, headers.authorization])).toEqual([
      ['/api/v2/token/refresh/', '{"refresh":"r1"}', undefined],
      ['/api/v2/user/', '', 'Bearer a2'],
    ]);
  });

  it.each([
    ['with Web Locks', fakeLocks()],
    ['without them', undefined],
  ])('SES-04: a second tab, %s, adopts what the first one got', async (_, locks) => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const rotate = rotating(new Set(['a1']));
    const { openTab, asked, keptPair } = await browser({
      locks,
      answer: async (one) => {
        if (one.path.endsWith('/refresh/') && locks) await gate;
        return rotate(one);
      },
    });
    const [first, second] = [openTab(), openTab()];
    await second.resolved();
    await first.signIn(EXPIRED);
    const calls = [first.readOwner()];
    if (!locks) await calls[0];
    calls.push(second.readOwner());
    open();
    await Promise.all(calls);
    expect(asked.filter(({ path }) => path.endsWith('/refresh/'))).toHaveLength(1);
    expect(keptPair()).toEqual(FRESH);
    expect(second.session.getSnapshot().context.tokens).toEqual(FRESH);
  });

  it('SES-05: a failed refresh is logged with what the server said', async () => {
    const { openTab } = await browser({
      answer: ({ path }) => (path.endsWith('/refresh/') ? { status: 500, body: refusal('Down.') } : { body: ANN }),
    });
    const tab = openTab();
    await tab.signIn(EXPIRED);
    await tab.readOwner();
    expect(tab.log).toHaveBeenCalledExactlyOnceWith('The session could not be renewed: Down.');
  });

  it('SES-06: a refused call removes the stored pair and raises the browser event with the path', async () => {
    const { openTab, keptPair } = await browser({ answer: rotating(new Set()) });
    const tab = openTab();
    const paths: unknown[] = [];
    tab.page.addEventListener(UNAUTHENTICATED_EVENT, (event) => paths.push((event as CustomEvent<unknown>).detail));
    await tab.signIn(FRESH);
    await expect(tab.readOwner()).rejects.toThrow('Signed out.');
    expect(paths).toEqual([{ path: '/user/?poi=1' }]);
    expect(keptPair()).toBeNull();
  });

  it('SES-08: sign-out sends the refresh token, with the access token as its proof', async () => {
    const { openTab, asked } = await browser({ answer: () => ({}) });
    const tab = openTab();
    await tab.signIn(FRESH);
    tab.session.send({ type: 'signOut.requested' });
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    expect(asked[0]).toMatchObject({ path: '/api/v2/token/invalidate/', body: '{"refresh":"r2"}' });
    expect(asked[0]?.headers.authorization).toBe('Bearer a2');
  });

  it('SES-09: a pair that one tab keeps or clears is told to the session of the other, not to its own', async () => {
    const { openStore } = await browser({ answer: () => ({}) });
    const [first, second] = [openStore(), openStore()];
    first.actor.send({ type: 'tokens.saved', tokens: FRESH });
    first.actor.send({ type: 'tokens.saved', tokens: null });
    expect(second.said).toEqual([
      { type: 'tokens.changed', tokens: FRESH },
      { type: 'tokens.changed', tokens: null },
    ]);
    expect(first.said).toEqual([]);
  });

  it('SES-04: an older pair never replaces a newer one of another tab, which the session is told', async () => {
    const { openStore, keptPair } = await browser({ stored: FRESH, answer: () => ({}) });
    const { actor, said } = openStore();
    actor.send({ type: 'tokens.saved', tokens: EXPIRED });
    expect(keptPair()).toEqual(FRESH);
    expect(said).toEqual([{ type: 'tokens.changed', tokens: FRESH }]);
  });
});
