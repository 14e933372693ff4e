import { ApiError } from '#contract/errors.ts';
import { TokenPair } from '#contract/session.ts';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../harness.ts';
import { outcomeOf } from '../people.ts';
import { activationToken, mailsTo, publicCall, signUp } from '../browser.ts';
import { NEXT_PASSWORD, PASSWORD } from '#test/passwords.ts';

describe('sign-up', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ env: { PUBLIC_URL: 'https://console.localhost' } });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    await server.services.db.deleteFrom('rate_limits').execute();
  });

  const ask = (email: string, more: object = {}): Promise<Response> =>
    publicCall(server, 'PUT', '/api/v2/signup/verify-email/', { email, ...more });
  const look = (token: string): Promise<Response> => fetch(`${server.url}/api/v2/signup/${token}/`);
  const use = (token: string, password: string): Promise<Response> =>
    publicCall(server, 'PUT', `/api/v2/signup/${token}/`, { password });

  it('ACC-02: asking for an account mails a link under the public address', async () => {
    const answer = await ask('new@example.com');
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    const [mail] = await mailsTo(server, 'new@example.com');
    expect(mail?.body_text).toMatch(/https:\/\/console\.localhost\/signup\/[\w-]{43}\//);
    expect(mail?.body_html).toContain('href="https://console.localhost/signup/');
  });

  it('ACC-03: the link shows its e-mail, sets the password, signs in, and works once', async () => {
    await ask('Grace@Example.com', { referral: 'FRIEND' });
    const token = await activationToken(server, 'Grace@Example.com');
    const shown = await look(token);
    expect([shown.status, await shown.json()]).toEqual([200, { email: 'Grace@Example.com', from: null }]);
    const answer = await use(token, PASSWORD);
    expect(answer.status).toBe(200);
    const pair = v.parse(TokenPair, await answer.json());
    const user = await fetch(`${server.url}/api/v2/user/`, { headers: { authorization: `Bearer ${pair.access}` } });
    expect(await user.json()).toMatchObject({ email: 'Grace@Example.com', has_password: true });
    expect(await outcomeOf(await look(token))).toBe('400 token_used');
    expect(await outcomeOf(await use(token, PASSWORD))).toBe('400 token_used');
    expect(
      (await publicCall(server, 'POST', '/api/v2/token/', { email: 'grace@example.com', password: PASSWORD })).status,
    ).toBe(200);
    const row = await server.services.db
      .selectFrom('users')
      .select('referral')
      .where('email_key', '=', 'grace@example.com')
      .executeTakeFirst();
    expect(row).toEqual({ referral: 'FRIEND' });
  });

  it('ACC-03: two uses of one link at once make one account', async () => {
    await ask('twice@example.com');
    const token = await activationToken(server, 'twice@example.com');
    const answers = await Promise.all([use(token, PASSWORD), use(token, NEXT_PASSWORD)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]));
  });

  it('ACC-03: an older link of the same address is used up with the newer one', async () => {
    await ask('impatient@example.com');
    const older = await activationToken(server, 'impatient@example.com');
    await signUp(server, 'impatient@example.com', PASSWORD);
    expect(await outcomeOf(await look(older))).toBe('400 token_used');
  });

  it('ACC-03: a link dies after 48 hours', async () => {
    await ask('late@example.com');
    const token = await activationToken(server, 'late@example.com');
    server.advance(48 * 3600_000 + 1000);
    expect(await outcomeOf(await look(token))).toBe('400 token_expired');
    expect(await outcomeOf(await use(token, PASSWORD))).toBe('400 token_expired');
  });

  it('ACC-03: an unknown link is a 404', async () => {
    expect(await outcomeOf(await look('made-up'))).toBe('404 token_not_found');
    expect(await outcomeOf(await use('made-up', PASSWORD))).toBe('404 token_not_found');
  });

  it('ACC-02: the link of the first mail and of another one lead to where the person was going; to this site only', async () => {
    await ask('going@example.com', { from: '/invite/abc/?x=1' });
    const first = await activationToken(server, 'going@example.com');
    await ask('going@example.com', { from: '/user/' });
    const second = await activationToken(server, 'going@example.com');
    const leads: unknown[] = [];
    for (const token of [first, second]) leads.push(await (await look(token)).json());
    expect(leads).toEqual([
      { email: 'going@example.com', from: '/invite/abc/?x=1' },
      { email: 'going@example.com', from: '/user/' },
    ]);
    for (const from of [
      '//elsewhere.example.com',
      '/\\elsewhere.example.com',
      'https://elsewhere.example.com',
      'user',
    ]) {
      expect([from, await outcomeOf(await ask('going@example.com', { from }))]).toEqual([from, '400 invalid_request']);
    }
  });

  it('ACC-04: the answer does not tell that an account exists; its owner gets a mail that does', async () => {
    await signUp(server, 'known@example.com', PASSWORD);
    const [known, unknown] = [await ask('KNOWN@example.com'), await ask('unknown@example.com')];
    expect([known.status, await known.json()]).toEqual([unknown.status, await unknown.json()]);
    const mails = await mailsTo(server, 'known@example.com');
    expect(mails.at(-1)?.subject).toContain('You already have an account');
    expect(mails.at(-1)?.body_text).toContain('https://console.localhost/signin/');
    expect(mails.at(-1)?.body_text).not.toContain('/signup/');
  });

  it('ACC-02: refuses what is no e-mail address', async () => {
    const answer = await ask('not an address');
    expect(answer.status).toBe(400);
    expect(v.parse(ApiError, await answer.json()).validation_errors[0]).toMatchObject({
      location: 'body.email',
      message: 'Please enter a email address.',
    });
  });
});
