import { ApiError } from '#contract/errors.ts';
import { SsoToken } from '#contract/sso.ts';
import { createLog } from '#server/platform/log.ts';
import { startIdp, type Idp, type IdpAccount } from '#test/idp.ts';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../server/harness.ts';
import { outcomeOf } from '../server/people.ts';
import { SsoBrowser, visit } from '../server/identity/sso-visit.ts';

const ADA: IdpAccount = { sub: 'sub-ada', email: 'ada@example.com', email_verified: true };
const YES = [ADA.sub, 'allow'];

let idp: Idp;
let server: TestServer;
let log = '';
beforeAll(async () => {
  idp = await startIdp({ accounts: [ADA] });
  const kept = createLog('debug', { write: (line) => (log += line) });
  server = await startTestServer({ env: idp.settings, overrides: { log: kept } });
});
afterAll(async () => {
  await server.close();
  await idp.close();
});
beforeEach(async () => {
  idp.refusal = undefined;
  await server.services.db.deleteFrom('rate_limits').execute();
});

const problemOf = async (answer: Response): Promise<ApiError> => v.parse(ApiError, await answer.json());
/** The provider's address with one parameter changed on the way. */
const altered = (url: string, name: string, value: string): string => {
  const changed = new URL(url);
  changed.searchParams.set(name, value);
  return changed.href;
};
/** A query as the provider would send it. */
const returned = (url: string, more: Record<string, string>): string =>
  new URLSearchParams({
    state: new URL(url).searchParams.get('state') ?? '',
    iss: idp.settings['OIDC_ISSUER'] ?? '',
    ...more,
  }).toString();

const INVALID = '400 sso_attempt_invalid';
const FAILED = '400 sso_failed';

describe('a beginning', () => {
  it('takes no list for an object whose every field may be missing', async () => {
    const answer = await new SsoBrowser(server).begin([]);
    expect([answer.status, (await problemOf(answer)).validation_errors]).toEqual([
      400,
      [{ error_type: 'object', location: 'body', message: 'Invalid type: Expected Object but received Array' }],
    ]);
  });
});

describe('a return that does not belong to a sign-in of this browser', () => {
  it('ACC-07: with another state, none, or two, is refused; the sign-in itself stays good', async () => {
    const browser = new SsoBrowser(server);
    const query = await visit(await browser.beginAt(), YES);
    const other = new URLSearchParams(query);
    other.set('state', 'x'.repeat(43));
    const none = new URLSearchParams(query);
    none.delete('state');
    for (const wrong of [other.toString(), none.toString(), `${query}&state=x`, '', '?', 'nonsense'])
      expect([wrong, await outcomeOf(await browser.finish(wrong))]).toEqual([wrong, INVALID]);
    expect((await browser.finish(query)).status).toBe(200);
  });

  it('ACC-07: in a browser without the cookie, or with its own, is refused; the one that began can go on', async () => {
    const browser = new SsoBrowser(server);
    const query = await visit(await browser.beginAt(), YES);
    const stranger = new SsoBrowser(server);
    expect(await outcomeOf(await stranger.finish(query))).toBe(INVALID);
    await stranger.beginAt();
    expect(stranger.cookie).not.toBe(browser.cookie);
    expect(await outcomeOf(await stranger.finish(query))).toBe(INVALID);
    stranger.cookie = 'sso=';
    expect(await outcomeOf(await stranger.finish(query))).toBe(INVALID);
    expect((await browser.finish(query)).status).toBe(200);
  });

  it('ACC-07: works once, also when it comes five times at once', async () => {
    const browser = new SsoBrowser(server);
    const query = await visit(await browser.beginAt(), YES);
    const answers = await Promise.all(Array.from({ length: 5 }, () => browser.finish(query)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400, 400]);
    expect(await outcomeOf(await browser.finish(query))).toBe(INVALID);
  });

  it('ACC-07: comes too late after ten minutes', async () => {
    const browser = new SsoBrowser(server);
    const [early, late] = [await visit(await browser.beginAt(), YES), await visit(await browser.beginAt(), YES)];
    server.advance(599_000 - 5000);
    expect((await browser.finish(early)).status).toBe(200);
    server.advance(6000);
    expect(await outcomeOf(await browser.finish(late))).toBe(INVALID);
  });
});

describe('an answer of the provider that does not fit', () => {
  it('ACC-07: a code that was used already, or belongs to another sign-in, opens nothing', async () => {
    const browser = new SsoBrowser(server);
    const used = await visit(await browser.beginAt(), YES);
    expect((await browser.finish(used)).status).toBe(200);
    const code = (query: string): string => new URLSearchParams(query).get('code') ?? '';
    expect(await outcomeOf(await browser.finish(returned(await browser.beginAt(), { code: code(used) })))).toBe(FAILED);
    // A code that somebody else was given: PKCE and the nonce tie it to their sign-in.
    const stolen = await visit(await new SsoBrowser(server).beginAt(), YES);
    expect(await outcomeOf(await browser.finish(returned(await browser.beginAt(), { code: code(stolen) })))).toBe(
      FAILED,
    );
    expect(await outcomeOf(await browser.finish(returned(await browser.beginAt(), { code: 'made-up' })))).toBe(FAILED);
    expect(await outcomeOf(await browser.finish(returned(await browser.beginAt(), {})))).toBe(FAILED);
  });

  it.each(['nonce', 'code_challenge'])('ACC-07: another %s than the one sent is noticed', async (name) => {
    const browser = new SsoBrowser(server);
    const query = await visit(altered(await browser.beginAt(), name, 'A'.repeat(43)), YES);
    expect(await outcomeOf(await browser.finish(query))).toBe(FAILED);
  });

  it('ACC-07: an answer in the name of another issuer is noticed', async () => {
    const browser = new SsoBrowser(server);
    const query = new URLSearchParams(await visit(await browser.beginAt(), YES));
    query.set('iss', 'https://elsewhere.example.com');
    expect(await outcomeOf(await browser.finish(query.toString()))).toBe(FAILED);
  });
});

describe('a provider that says no', () => {
  const told = async (answer: Response): Promise<[number, string, string]> => {
    const { error_type, message } = await problemOf(answer);
    return [answer.status, error_type, message];
  };
  const refusedWith = (words: string): unknown => [
    400,
    'sso_refused',
    `The identity provider did not let you in.${words}`,
  ];

  it('ACC-07: its reason is shown, and the next try can succeed', async () => {
    const browser = new SsoBrowser(server);
    for (const answers of [[''], [ADA.sub, '']])
      expect(await told(await browser.finish(await visit(await browser.beginAt(), answers)))).toEqual(
        refusedWith(' It says: The person said no.'),
      );
    idp.refusal = { error: 'access_denied', error_description: 'Your licence has ended.' };
    const query = await visit(await browser.beginAt(), []);
    expect(await told(await browser.finish(query))).toEqual(refusedWith(' It says: Your licence has ended.'));
    expect(await outcomeOf(await browser.finish(query))).toBe(INVALID);
    idp.refusal = undefined;
    expect((await browser.finish(await visit(await browser.beginAt(), YES))).status).toBe(200);
  });

  it('ACC-07: without a reason, the kind of error is what is shown', async () => {
    const browser = new SsoBrowser(server);
    for (const [error, words] of [
      ['access_denied', ''],
      ['login_required', ' It says: login_required'],
    ] as const)
      expect(await told(await browser.finish(returned(await browser.beginAt(), { error })))).toEqual(
        refusedWith(words),
      );
  });

  it('ACC-07: words come only from a return that was asked for, without control characters and not without end', async () => {
    const browser = new SsoBrowser(server);
    expect(await told(await browser.finish('error=x&error_description=Call+this+number'))).toEqual([
      400,
      'sso_attempt_invalid',
      expect.not.stringContaining('Call'),
    ]);
    const words = `one\u0000two\u202E\nthree ${'x'.repeat(500)}`;
    const [, , message] = await told(
      await browser.finish(returned(await browser.beginAt(), { error: 'x', error_description: words })),
    );
    expect(message).toMatch(/^The identity provider did not let you in\. It says: one two three x{186}$/);
  });
});

describe('a provider that does not answer', () => {
  it('ACC-07: is a clear refusal; the server goes on, and finds the provider once it is there', async () => {
    const gone = await startIdp({ accounts: [ADA] });
    await gone.close();
    const lonely = await startTestServer({ env: gone.settings });
    const browser = new SsoBrowser(lonely);
    let back: Idp | undefined;
    try {
      const answer = await browser.begin();
      expect([answer.status, await problemOf(answer)]).toMatchObject([
        503,
        { error_type: 'sso_unavailable', message: 'The identity provider does not answer. Please try again later.' },
      ]);
      expect((await fetch(`${lonely.url}/healthz`)).status).toBe(200);
      back = await startIdp({ accounts: [ADA], port: gone.port });
      const query = await visit(await browser.beginAt(), YES);
      await back.close();
      expect(await outcomeOf(await browser.finish(query))).toBe('503 sso_unavailable');
      expect(await outcomeOf(await browser.finish(query))).toBe(INVALID);
    } finally {
      await lonely.close();
    }
  });

  it('ACC-07: something else under its address is no provider', async () => {
    const other = await startTestServer({ env: { ...idp.settings, OIDC_ISSUER: server.url } });
    try {
      expect(await outcomeOf(await new SsoBrowser(other).begin())).toBe('503 sso_unavailable');
    } finally {
      await other.close();
    }
  });
});

describe('single sign-on and what surrounds it', () => {
  it('ACC-07: without settings there is none', async () => {
    const plain = await startTestServer();
    const browser = new SsoBrowser(plain);
    try {
      for (const answer of [await browser.begin(), await browser.finish('code=x&state=y'), await browser.signUp('x')])
        expect(await outcomeOf(answer)).toBe('404 sso_not_configured');
    } finally {
      await plain.close();
    }
  });

  it('ACC-07: behind https the cookie is for this host alone, and the provider sends back to the public address', async () => {
    const secure = await startTestServer({
      env: { ...idp.settings, PUBLIC_URL: 'https://console.example.com', SMTP_URL: 'smtp://127.0.0.1:1' },
    });
    try {
      const answer = await new SsoBrowser(secure).begin();
      expect(answer.headers.getSetCookie()).toEqual([
        expect.stringMatching(/^__Host-sso=[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      ]);
      expect(await answer.json()).toEqual({
        url: expect.stringContaining(`redirect_uri=${encodeURIComponent('https://console.example.com/sso/callback/')}`),
      });
    } finally {
      await secure.close();
    }
  });

  it('ACC-07: leads to paths of this site only', async () => {
    expect(await outcomeOf(await new SsoBrowser(server).begin({ from: '//elsewhere.example.com' }))).toBe(
      '400 invalid_request',
    );
  });

  it('stops a visitor who asks without end', async () => {
    const browser = new SsoBrowser(server);
    const answers = await Promise.all(Array.from({ length: 70 }, () => browser.signUp('x')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 429]));
  });

  it('leaves no code, state, token or address in the log', async () => {
    const browser = new SsoBrowser(server);
    const url = await browser.beginAt();
    const query = await visit(url, YES);
    const { tokens, signup_token } = v.parse(
      v.looseObject({ tokens: v.optional(v.object({ refresh: v.string() })), signup_token: v.optional(v.string()) }),
      v.parse(SsoToken, await (await browser.finish(query)).json()),
    );
    await browser.finish(returned(await browser.beginAt(), { code: 'a-wrong-code' }));
    expect(log).toContain('a sign-in at the identity provider failed');
    const { state, nonce } = Object.fromEntries(new URL(url).searchParams);
    const secrets = [
      state,
      nonce,
      new URLSearchParams(query).get('code'),
      tokens?.refresh,
      signup_token,
      browser.cookie?.slice(4),
      'a-wrong-code',
      ADA.email,
      idp.settings['OIDC_CLIENT_SECRET'],
    ];
    expect(secrets.filter((secret) => secret !== undefined).length).toBeGreaterThan(7);
    for (const secret of secrets)
      expect([secret, secret !== undefined && secret !== null && log.includes(secret)]).toEqual([secret, false]);
  });
});
