import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { User } from '#contract/accounts.ts';
import { TokenPair } from '#contract/session.ts';
import { PageSettings } from '#contract/settings.ts';
import { SsoToken } from '#contract/sso.ts';
import { startIdp, type Idp, type IdpAccount } from '#test/idp.ts';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../harness.ts';
import { outcomeOf } from '../people.ts';
import { bearerCall, linkToken, publicCall, signUp } from '../browser.ts';
import { SsoBrowser, visit } from './sso-visit.ts';
import { PASSWORD } from '#test/passwords.ts';

const accounts: IdpAccount[] = [];
let idp: Idp;
let server: TestServer;
let webRoot: string;
beforeAll(async () => {
  webRoot = await mkdtemp(join(tmpdir(), 'parlance-web-'));
  await writeFile(join(webRoot, 'index.html'), '<!doctype html><body><!--app-shell--></body>');
  idp = await startIdp({ accounts });
  server = await startTestServer({ env: idp.settings, overrides: { webRoot } });
});
afterAll(async () => {
  await server.close();
  await idp.close();
  await rm(webRoot, { recursive: true });
});
beforeEach(async () => {
  await server.services.db.deleteFrom('rate_limits').execute();
});

/** Somebody whom the provider knows. */
function person(name: string, more: Partial<IdpAccount> = {}): IdpAccount {
  const account = { sub: `sub-${name}`, email: `${name}@example.com`, email_verified: true, ...more };
  accounts.push(account);
  return account;
}

/** The whole way: to the provider and back. */
async function signInAs(
  { sub }: IdpAccount,
  { from, browser = new SsoBrowser(server) }: { from?: string; browser?: SsoBrowser } = {},
): Promise<Response> {
  return browser.finish(await visit(await browser.beginAt({ from }), [sub, 'allow']));
}

async function resultOf<const T extends SsoToken['outcome']>(
  answer: Response,
  wanted: T,
): Promise<Extract<SsoToken, { outcome: T }>> {
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, text]);
  const result = v.parse(SsoToken, JSON.parse(text));
  const isWanted = (one: SsoToken): one is Extract<SsoToken, { outcome: T }> => one.outcome === wanted;
  if (!isWanted(result)) throw new Error(`outcome is ${result.outcome}`);
  return result;
}

async function userOf({ access }: TokenPair): Promise<User> {
  return v.parse(User, await (await bearerCall(server, access, 'GET', '/api/v2/user/')).json());
}

describe('single sign-on', () => {
  it('ACC-07: sends the browser to the provider with state, nonce and PKCE challenge, and only the needed scopes', async () => {
    const browser = new SsoBrowser(server);
    const answer = await browser.begin({ from: '/user/' });
    expect(answer.status).toBe(200);
    const { url } = v.parse(v.object({ url: v.string() }), await answer.json());
    const { origin, searchParams } = new URL(url);
    expect(origin).toBe(idp.settings['OIDC_ISSUER']);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'console',
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: `${server.url}/sso/callback/`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^sso=[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const [attempt] = await server.services.db.selectFrom('sso_attempts').selectAll().execute();
    expect(JSON.stringify(attempt)).not.toContain(searchParams.get('state'));
    expect(JSON.stringify(attempt)).not.toContain(browser.cookie?.slice(4));
  });

  it('ACC-07: somebody new is asked first; saying yes makes an account without a password and signs in', async () => {
    const ada = person('ada', { name: '  Ada Lovelace ' });
    const asked = await resultOf(await signInAs(ada, { from: '/org/1/members/?x=1' }), 'unknown_user');
    expect(asked).toEqual({
      outcome: 'unknown_user',
      signup_token: expect.stringMatching(/^[\w-]{43}$/),
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      from: '/org/1/members/?x=1',
    });
    expect(
      await server.services.db.selectFrom('users').select('id').where('email', '=', 'ada@example.com').execute(),
    ).toEqual([]);

    const answer = await new SsoBrowser(server).signUp(asked.signup_token, { referral: 'FRIEND' });
    expect(answer.status).toBe(200);
    const user = await userOf(v.parse(TokenPair, await answer.json()));
    expect(user).toMatchObject({ email: 'ada@example.com', name: 'Ada Lovelace', has_password: false });
    expect(
      await server.services.db.selectFrom('users').select('referral').where('id', '=', user.uuid).execute(),
    ).toEqual([{ referral: 'FRIEND' }]);
    // No password opens it.
    expect(
      await outcomeOf(
        await publicCall(server, 'POST', '/api/v2/token/', { email: 'ada@example.com', password: 'null' }),
      ),
    ).toBe('400 invalid_credentials');

    // From now on the provider's own name for her counts, whatever her address becomes.
    ada.email = 'countess@example.com';
    ada.email_verified = false;
    const again = await resultOf(await signInAs(ada, { from: '/user/' }), 'signed_in');
    expect(again.from).toBe('/user/');
    expect((await userOf(again.tokens)).uuid).toBe(user.uuid);
    expect((await publicCall(server, 'POST', '/api/v2/token/refresh/', { refresh: again.tokens.refresh })).status).toBe(
      200,
    );
  });

  it('ACC-07: a verified address that has an account is linked to it, whatever its case, and the password stays', async () => {
    const before = await userOf(v.parse(TokenPair, await (await signUp(server, 'Grace@example.com', PASSWORD)).json()));
    const grace = person('grace', { email: 'grace@Example.com' });
    const first = await resultOf(await signInAs(grace), 'signed_in');
    expect([first.from, await userOf(first.tokens)]).toEqual([null, before]);
    expect((await userOf((await resultOf(await signInAs(grace), 'signed_in')).tokens)).uuid).toBe(before.uuid);
    expect(
      (await publicCall(server, 'POST', '/api/v2/token/', { email: 'grace@example.com', password: PASSWORD })).status,
    ).toBe(200);
  });

  it('ACC-07: an address that the provider has not verified gets nowhere, with an account and without', async () => {
    await signUp(server, 'victim@example.com', PASSWORD);
    for (const name of ['victim', 'nobody'])
      expect(await outcomeOf(await signInAs(person(name, { email_verified: false })))).toBe('400 email_not_verified');
    // The Kelvin sign becomes a plain k in lower case.
    await signUp(server, 'kim@example.com', PASSWORD);
    expect(await outcomeOf(await signInAs(person('look-alike', { email: '\u212Aim@example.com' })))).toBe(
      '400 email_not_verified',
    );
    expect(
      await server.services.db
        .selectFrom('sso_identities')
        .select('subject')
        .where('subject', 'in', ['sub-victim', 'sub-nobody', 'sub-look-alike'])
        .execute(),
    ).toEqual([]);
  });

  it('ACC-07: two tabs of one browser sign in side by side', async () => {
    const [left, right] = [person('left'), person('right')];
    const browser = new SsoBrowser(server);
    const urls = [await browser.beginAt({ from: '/left' }), await browser.beginAt({ from: '/right' })] as const;
    const queries = [await visit(urls[0], [left.sub, 'allow']), await visit(urls[1], [right.sub, 'allow'])] as const;
    expect(await resultOf(await browser.finish(queries[0]), 'unknown_user')).toMatchObject({
      email: 'left@example.com',
      from: '/left',
    });
    expect(await resultOf(await browser.finish(queries[1]), 'unknown_user')).toMatchObject({
      email: 'right@example.com',
      from: '/right',
    });
  });

  it('ACC-07: the page learns that single sign-on is there', async () => {
    const html = await (await fetch(server.url, { headers: { accept: 'text/html' } })).text();
    const settings: unknown = JSON.parse(/<script type="application\/json"[^>]*>([^<]*)</.exec(html)?.[1] ?? '');
    expect(v.parse(PageSettings, settings).singleSignOn).toBe(true);
  });
});

describe('signing up by single sign-on', () => {
  const newcomer = async (name: string): Promise<string> =>
    (await resultOf(await signInAs(person(name)), 'unknown_user')).signup_token;
  const yes = (token: string): Promise<Response> => new SsoBrowser(server).signUp(token);

  it('ACC-07: works once, and is kept as a hash only', async () => {
    const token = await newcomer('once');
    expect(JSON.stringify(await server.services.db.selectFrom('sso_signups').selectAll().execute())).not.toContain(
      token,
    );
    const answers = await Promise.all([yes(token), yes(token), yes(token)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    expect(await outcomeOf(await yes(token))).toBe('400 token_used');
  });

  it('ACC-07: dies after a quarter of an hour; unknown ones never lived', async () => {
    const token = await newcomer('hesitant');
    server.advance(900_000);
    expect(await outcomeOf(await yes(token))).toBe('400 token_expired');
    expect(await outcomeOf(await yes('made-up'))).toBe('404 token_not_found');
  });

  it('ACC-07: two questions about one person make one account', async () => {
    const twice = person('twice');
    const tokens = [
      await resultOf(await signInAs(twice), 'unknown_user'),
      await resultOf(await signInAs(twice), 'unknown_user'),
    ];
    const users = await Promise.all(
      tokens.map(async ({ signup_token }) => userOf(v.parse(TokenPair, await (await yes(signup_token)).json()))),
    );
    expect(users[0]?.uuid).toBe(users[1]?.uuid);
  });

  it('ACC-07: an account that came into being meanwhile is linked', async () => {
    const token = await newcomer('meanwhile');
    const made = await userOf(
      v.parse(TokenPair, await (await signUp(server, 'meanwhile@example.com', PASSWORD)).json()),
    );
    expect(await userOf(v.parse(TokenPair, await (await yes(token)).json()))).toEqual(made);
  });

  it('ACC-07: uses up activation links of the address', async () => {
    await publicCall(server, 'PUT', '/api/v2/signup/verify-email/', { email: 'both@example.com' });
    const link = await linkToken(server, 'both@example.com', 'signup');
    await yes(await newcomer('both'));
    expect(await outcomeOf(await fetch(`${server.url}/api/v2/signup/${link}/`))).toBe('400 token_used');
  });
});
