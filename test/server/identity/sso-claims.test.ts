import { ApiError } from '#contract/errors.ts';
import { SsoToken } from '#contract/sso.ts';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../harness.ts';
import { startOther, type OtherServer } from '../outgoing-servers.ts';
import { SsoBrowser } from './sso-visit.ts';

/** What the provider answers in one test; a real one would never send most of it. */
interface Answers {
  claims: Record<string, unknown>;
  userInfo: Record<string, unknown> | undefined;
  /** Key to sign with, when not the published one. */
  key: CryptoKey | undefined;
  nonce: string;
}

let answers: Answers;
let provider: OtherServer;
let server: TestServer;

beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const published = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' };
  const tokens = async (): Promise<object> => {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: provider.url,
      aud: 'console',
      sub: 'sub-eve',
      iat: now,
      exp: now + 60,
      nonce: answers.nonce,
      ...answers.claims,
    };
    return {
      access_token: 'access',
      token_type: 'Bearer',
      id_token: await new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: 'k' })
        .sign(answers.key ?? privateKey),
    };
  };
  const answerTo = async (path: string): Promise<object | undefined> => {
    const issuer = provider.url;
    if (path === '/keys') return { keys: [published] };
    if (path === '/userinfo') return answers.userInfo;
    if (path !== '/.well-known/openid-configuration') return tokens();
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      userinfo_endpoint: `${issuer}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  };
  provider = await startOther(({ path }, response) => {
    void answerTo(path).then((answer) => {
      response
        .writeHead(answer === undefined ? 500 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer ?? { error: 'server_error' }));
    });
  });
  server = await startTestServer({
    env: { OIDC_ISSUER: provider.url, OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'a secret: with/marks' },
  });
});
afterAll(async () => {
  await server.close();
  await provider.close();
});
beforeEach(async () => {
  answers = { claims: {}, userInfo: {}, key: undefined, nonce: '' };
  await server.services.db.deleteFrom('rate_limits').execute();
});

/** A sign-in at this provider, as error type and status, or as the outcome. */
async function signIn(given: Partial<Answers>): Promise<string> {
  const browser = new SsoBrowser(server);
  const { searchParams } = new URL(await browser.beginAt());
  answers = { ...answers, nonce: searchParams.get('nonce') ?? '', ...given };
  const answer = await browser.finish(
    new URLSearchParams({ code: 'code', state: searchParams.get('state') ?? '' }).toString(),
  );
  const body: unknown = await answer.json();
  if (!answer.ok) return `${answer.status} ${v.parse(ApiError, body).error_type}`;
  const result = v.parse(SsoToken, body);
  return result.outcome === 'unknown_user' ? `unknown_user ${result.email}` : result.outcome;
}

const EVE = { email: 'eve@example.com', email_verified: true };

describe('what a provider claims', () => {
  it('ACC-07: the client proves itself in the header if the provider names no other way, and by its PKCE verifier', async () => {
    expect(await signIn({ claims: EVE })).toBe('unknown_user eve@example.com');
    const asked = provider.seen.findLast(({ path }) => path === '/token');
    const [, encoded = ''] = /^Basic (.+)$/.exec(asked?.headers.authorization ?? '') ?? [];
    expect(
      Buffer.from(encoded, 'base64')
        .toString()
        .split(':')
        .map((part) => decodeURIComponent(part.replaceAll('+', ' '))),
    ).toEqual(['console', 'a secret: with/marks']);
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
      grant_type: 'authorization_code',
      code: 'code',
      redirect_uri: `${server.url}/sso/callback/`,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it.each([
    ['signed by somebody else', async () => ({ key: (await generateKeyPair('RS256')).privateKey })],
    ['for another client', () => ({ claims: { ...EVE, aud: 'another' } })],
    ['of another issuer', () => ({ claims: { ...EVE, iss: 'https://elsewhere.example.com' } })],
    ['that has expired', () => ({ claims: { ...EVE, exp: Math.floor(Date.now() / 1000) - 60 } })],
    ['of another sign-in', () => ({ nonce: 'n'.repeat(43) })],
    ['without a nonce', () => ({ claims: { ...EVE, nonce: undefined } })],
    ['without a subject', () => ({ claims: { ...EVE, sub: undefined } })],
  ])('ACC-07: a token %s is refused', async (_what, given: () => Partial<Answers> | Promise<Partial<Answers>>) => {
    expect(await signIn({ claims: EVE, ...(await given()) })).toBe('400 sso_failed');
  });

  it('ACC-07: the address is asked for where the token has none; an answer about somebody else is refused', async () => {
    expect(await signIn({ userInfo: { sub: 'sub-eve', ...EVE } })).toBe('unknown_user eve@example.com');
    expect(
      await signIn({ claims: { email: 'eve@example.com' }, userInfo: { sub: 'sub-eve', email_verified: 'true' } }),
    ).toBe('unknown_user eve@example.com');
    expect(await signIn({ userInfo: { sub: 'sub-mallory', ...EVE } })).toBe('400 sso_failed');
    expect(await signIn({ userInfo: undefined })).toBe('503 sso_unavailable');
  });

  it.each([
    ['no word on it', { email: 'eve@example.com' }],
    ['false', { email: 'eve@example.com', email_verified: false }],
    ['"false"', { email: 'eve@example.com', email_verified: 'false' }],
    ['1', { email: 'eve@example.com', email_verified: 1 }],
    ['true, without an address', { email_verified: true }],
    ['true, of what is no address', { email: 'eve@example.com, victim@example.com', email_verified: true }],
  ])('ACC-07: verified: %s, is not verified', async (_what, claims) => {
    expect(await signIn({ claims, userInfo: { sub: 'sub-eve' } })).toBe('400 email_not_verified');
  });
});
