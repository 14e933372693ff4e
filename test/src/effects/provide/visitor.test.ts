import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, toPromise } from 'xstate';
import type { Route } from '#machines/shared/route.ts';
import type { VisitorActor } from '#machines/visitor/machine.ts';
import { createLeavePage } from '#src/effects/browser/leavePage.ts';
import { visitorWith } from '#src/effects/provide/visitor.ts';
import { settings } from '../../../machines/people.ts';
import { answeringServer, refusal, type Asked, type Reply } from '../../answering-server.ts';
import { apisAt, PAIR } from '../../apis.ts';
import { MemoryStorage } from '../../fake-storage.ts';
import { PASSWORD } from '#test/passwords.ts';

const never = <Input extends object, Output>() =>
  fromPromise<Output, Input>(() => Promise.reject(new Error('not in this test')));

/** The visitor's chart with its real effects, against a server that answers as told; `referral` is what the page came with. */
async function visit(route: Route, answer: (asked: Asked) => Reply, referral?: string) {
  const { origin, asked } = await answeringServer(answer);
  const pageUrl = () => new URL(origin);
  const { call, session: port } = apisAt(origin, { signedIn: false });
  const storage = new MemoryStorage();
  const outside = {
    settings,
    port,
    call,
    pageUrl,
    referral: () => referral,
    blockNavigation: () => () => undefined,
    storage: { read: (key: string) => storage.getItem(key), write: () => undefined, remove: () => undefined },
  };
  const visitor: VisitorActor = createActor(visitorWith(outside, { requestSignOn: never(), leavePage: never() }), {
    input: { route, isSignedIn: false, invited: null },
  });
  visitor.start();
  const bodies = () =>
    asked.map(({ method, path, body }) => [`${method} ${path}`, body === '' ? null : (JSON.parse(body) as unknown)]);
  return { visitor, bodies };
}

describe('the calls of the public screens', () => {
  it.each([
    [
      { screen: 'signUp', from: '/invite/t/' },
      'CODE',
      'signup/verify-email/',
      { from: '/invite/t/', referral: 'CODE' },
    ],
    [{ screen: 'signUp', from: '//evil.example' }, undefined, 'signup/verify-email/', {}],
    [{ screen: 'resendActivation' }, 'CODE', 'signup/verify-email/', {}],
    [{ screen: 'passwordRecovery' }, 'CODE', 'user/password/recover/', {}],
  ] as const)('ACC-02, ACC-04, SES-11: %j asks for its e-mail', async (route, referral, path, more) => {
    const { visitor, bodies } = await visit(route, () => ({}), referral);
    const form = visitor.getSnapshot().children[route.screen]?.getSnapshot().children.form;
    form?.send({ type: 'field.changed', field: 'email', value: 'ann@example.com' });
    form?.send({ type: 'submit.requested' });
    await expect.poll(() => visitor.getSnapshot().children[route.screen]?.getSnapshot().hasTag('sent')).toBe(true);
    // Whom an invitation is for is read beside it (CON-10).
    const sent = bodies().filter(([asked]) => !String(asked).startsWith('GET '));
    expect(sent).toEqual([[`PUT /api/v2/${path}`, { email: 'ann@example.com', ...more }]]);
  });

  it.each([
    ['activation', 'signup/a%20b/', 'PUT'],
    ['passwordReset', 'user/password/a%20b/', 'POST'],
  ] as const)('ACC-03, ACC-06: %s reads its link and sets the password', async (screen, path, method) => {
    const { visitor, bodies } = await visit({ screen, token: 'a b' }, (asked) => ({
      body: asked.method === 'GET' ? { email: 'a@b.c', from: null } : PAIR,
    }));
    const link = visitor.getSnapshot().children[screen];
    await expect.poll(() => link?.getSnapshot().children.form).toBeDefined();
    const form = link?.getSnapshot().children.form;
    form?.send({ type: 'field.changed', field: 'password', value: PASSWORD });
    form?.send({ type: 'submit.requested' });
    await expect(toPromise(visitor)).resolves.toMatchObject({ tokens: PAIR });
    expect(bodies()).toEqual([
      [`GET /api/v2/${path}`, null],
      [`${method} /api/v2/${path}`, { password: PASSWORD }],
    ]);
  });

  it('ACC-07, SES-11: the provider’s query goes to the server as it is, and a newcomer’s account knows the referral', async () => {
    const { visitor, bodies } = await visit(
      { screen: 'ssoCallback', query: '?code=c%2Fd&state=s' },
      ({ path }) => ({
        body: path.endsWith('/token/')
          ? { outcome: 'unknown_user', signup_token: 'once', email: 'a@b.c', name: 'A', from: '/invite/t/' }
          : PAIR,
      }),
      'CODE',
    );
    const callback = visitor.getSnapshot().children.ssoCallback;
    await expect.poll(() => callback?.getSnapshot().hasTag('newcomer')).toBe(true);
    callback?.send({ type: 'account.create.requested' });
    await expect(toPromise(visitor)).resolves.toEqual({ tokens: PAIR, to: { href: '/invite/t/' } });
    expect(bodies()).toEqual([
      ['POST /api/v2/sso/token/', { query: '?code=c%2Fd&state=s' }],
      ['POST /api/v2/sso/signup/', { signup_token: 'once', referral: 'CODE' }],
    ]);
  });

  it.each([
    [400, 'token_used', 'used'],
    [400, 'token_expired', 'expired'],
    [400, 'token_revoked', 'revoked'],
    [404, 'token_not_found', 'unknown'],
  ])('ACC-10: an invitation that answers %i %s is %s', async (status, error_type, reason) => {
    const { visitor } = await visit({ screen: 'invite', token: 't' }, () => ({
      status,
      body: refusal('No.', { status_code: status, error_type }),
    }));
    await expect.poll(() => visitor.getSnapshot().children.invite?.getSnapshot().value).toEqual({ invalid: reason });
  });
});

describe('leaving for another site', () => {
  it('ACC-07: goes there, and is over when the page is shown again as it was', async () => {
    const page = new EventTarget();
    const gone: string[] = [];
    const leave = createActor(
      createLeavePage(Object.assign(page, { location: { assign: (url: string) => void gone.push(url) } }) as never),
      { input: { url: 'https://idp.example/' } },
    );
    leave.start();
    expect(gone).toEqual(['https://idp.example/']);
    page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }));
    expect(leave.getSnapshot().status).toBe('active');
    page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
    await toPromise(leave);
  });
});
