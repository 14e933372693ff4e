import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { hash } from '@node-rs/argon2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '#contract/errors.ts';
import { NewPassword, PASSWORD_SAME } from '#contract/passwords.ts';
import { TokenPair } from '#contract/session.ts';
import { judgeNewPassword } from '#server/identity/accounts/password-rule.ts';
import { NEXT_PASSWORD, PASSWORD } from '#test/passwords.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { activationToken, bearerCall, linkToken, publicCall, signUp } from '../browser.ts';

let server: TestServer;
// Reads the dictionaries, too: they take their time on a busy machine.
// Time stands still: on a slow machine tries would be forgiven while others are made.
const now = new Date();
beforeAll(async () => {
  server = await startTestServer({ overrides: { clock: () => now } });
  await judgeNewPassword(server.services.config, '', PASSWORD);
}, 60_000);
afterAll(() => server.close());
beforeEach(async () => {
  await server.services.db.deleteFrom('rate_limits').execute();
});

const refusal = async (answer: Response): Promise<unknown> => {
  const { error_type, validation_errors } = v.parse(ApiError, await answer.json());
  return [answer.status, error_type, validation_errors];
};
const tooShort = (field = 'password'): unknown => [
  400,
  'invalid_request',
  [{ error_type: 'min_length', location: `body.${field}`, message: 'Password must be at least 12 characters.' }],
];
const weak = (field = 'password'): unknown => [
  400,
  'invalid_request',
  [{ error_type: 'weak_password', location: `body.${field}`, message: expect.any(String) }],
];
const product = { product: 'parlance', productName: 'Parlance' };
const judge = (password: string, email = 'grace.hopper@harbour-lab.example') =>
  judgeNewPassword(product, email, password);

describe('SEC-06: a new password', () => {
  it.each([
    'aaaaaaaaaaaa',
    '123456789012',
    'Password1234',
    'P@ssw0rd1234',
    'qwertyuiop[]',
    'abcdefghijkl',
    '01.01.2001!!',
    'iloveyouiloveyou',
  ])('is not %s, which is guessed at once', async (password) => {
    const { isGood, text } = await judge(password);
    expect(isGood).toBe(false);
    expect(text).toMatch(/^[A-Z].*\.$/);
  });

  it.each([
    'Parlance2026',
    'parlance-parlance',
    'p4rl4nc32026',
    'ecnalrapecnalrap',
    'Parlance Console',
    'parlanceconsole1',
    'grace.hopper@harbour-lab.example',
    'gracehopper2026',
    'GraceHopper!!',
    'harbour-lab-2026',
    'hoppergrace123',
    'parlance-grace-2026',
  ])('is not %s, made of the product and the e-mail address', async (password) => {
    expect(await judge(password)).toMatchObject({ isGood: false });
  });

  it('says why, where it is made of them, though it is long', async () => {
    expect(await judge('parlance-grace-2026')).toMatchObject({
      isGood: false,
      text: expect.stringContaining('your e-mail address'),
    });
  });

  it.each([
    PASSWORD,
    NEXT_PASSWORD,
    'correct horse battery staple',
    'x9!kf03mZpQ2',
    'Übergrößenträger',
    'молоко в холодном чае',
    '月曜日の朝に雨が降っていました',
    'grace walks seven llamas home',
  ])('may be %s', async (password) => {
    expect(await judge(password)).toMatchObject({ isGood: true, text: '' });
    expect(v.is(NewPassword, password)).toBe(true);
  });

  it('counts characters, not the units of their encoding', () => {
    expect(v.is(NewPassword, '🦊🐢🦉🐝🐬🦄')).toBe(false);
    expect(v.is(NewPassword, '🦊🐢🦉🐝🐬🦄🐙🦜🐳🦔🐌🦋')).toBe(true);
    expect(v.is(NewPassword, 'x'.repeat(129))).toBe(false);
    // Six letters, however their marks are typed.
    expect(v.is(NewPassword, 'äöüéñç'.normalize('NFD'))).toBe(false);
    expect(v.is(NewPassword, 'äöüéñç äöüéñç'.normalize('NFD'))).toBe(true);
  });

  it('is judged in well under a second of computing, whatever is sent', async () => {
    await judge(PASSWORD);
    for (const password of [
      '4@8({[</369!1|07$5+%2'.repeat(7).slice(0, 128),
      'p4ssw0rd'.repeat(16),
      '('.repeat(128),
      Array.from({ length: 128 }, (_, index) => String.fromCharCode(33 + ((index * 37) % 90))).join(''),
    ]) {
      const from = process.cpuUsage();
      await judge(password);
      const { user, system } = process.cpuUsage(from);
      expect((user + system) / 1000).toBeLessThan(1000);
    }
  });

  it('ACC-03 ACC-06 ACC-09: is refused by activation, reset and change alike; the link stays good', async () => {
    await publicCall(server, 'PUT', '/api/v2/signup/verify-email/', { email: 'ada@example.com' });
    const activation = `/api/v2/signup/${await activationToken(server, 'ada@example.com')}/`;
    expect(await refusal(await publicCall(server, 'PUT', activation, { password: 'elevenchars' }))).toEqual(tooShort());
    expect(await refusal(await publicCall(server, 'PUT', activation, { password: 'ada@example.com' }))).toEqual(weak());
    expect((await publicCall(server, 'PUT', activation, { password: PASSWORD })).status).toBe(200);

    await publicCall(server, 'PUT', '/api/v2/user/password/recover/', { email: 'ada@example.com' });
    const reset = `/api/v2/user/password/${await linkToken(server, 'ada@example.com', 'password')}/`;
    expect(await refusal(await publicCall(server, 'POST', reset, { password: 'elevenchars' }))).toEqual(tooShort());
    expect(await refusal(await publicCall(server, 'POST', reset, { password: 'Parlance2026' }))).toEqual(weak());
    // A reset ends all sessions but its own.
    const { access } = v.parse(
      TokenPair,
      await (await publicCall(server, 'POST', reset, { password: PASSWORD })).json(),
    );

    const change = (current_password: string, new_password: string) =>
      bearerCall(server, access, 'PUT', '/api/v2/user/password/', { current_password, new_password });
    expect(await refusal(await change(PASSWORD, 'elevenchars'))).toEqual(tooShort('new_password'));
    for (let round = 0; round < 8; round += 1)
      expect(await refusal(await change(PASSWORD, 'Password1234'))).toEqual(weak('new_password'));
    // Weak choices are no wrong guesses at the current one.
    expect(await refusal(await change(PASSWORD, PASSWORD))).toEqual([
      400,
      'invalid_request',
      [{ error_type: 'check', location: 'body.new_password', message: PASSWORD_SAME }],
    ]);
    expect((await change(PASSWORD, NEXT_PASSWORD)).status).toBe(200);
    expect(
      (await publicCall(server, 'POST', '/api/v2/token/', { email: 'ada@example.com', password: NEXT_PASSWORD }))
        .status,
    ).toBe(200);
  });

  it('is limited in how often it is tried: an estimate costs time', async () => {
    await publicCall(server, 'PUT', '/api/v2/signup/verify-email/', { email: 'eager@example.com' });
    const activation = `/api/v2/signup/${await activationToken(server, 'eager@example.com')}/`;
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => publicCall(server, 'PUT', activation, { password: 'Password1234' })),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      ...Array.from({ length: 20 }, () => 400),
      ...Array.from({ length: 5 }, () => 429),
    ]);
  });
});

describe('SEC-06: passwords that there are', () => {
  it('older and shorter ones still sign in', async () => {
    await signUp(server, 'old@example.com', PASSWORD);
    const store = (password_hash: string) =>
      server.services.db
        .updateTable('users')
        .set({ password_hash })
        .where('email_key', '=', 'old@example.com')
        .execute();
    const signIn = async (password: string) =>
      (await publicCall(server, 'POST', '/api/v2/token/', { email: 'old@example.com', password })).status;
    await store(await hash('12345678'));
    expect(await signIn('12345678')).toBe(200);
    // Hashed as it was sent, decomposed.
    await store(await hash('cafe\u0301 12'));
    expect([await signIn('cafe\u0301 12'), await signIn('cafe 12')]).toEqual([200, 400]);
  });

  it('are the same however their letters are put together', async () => {
    const letters = `caf\u00e9 ${createHash('sha256').update('seven').digest('hex').slice(0, 12)}`;
    await signUp(server, 'accent@example.com', letters);
    for (const password of [letters, letters.normalize('NFD')]) {
      expect(
        (await publicCall(server, 'POST', '/api/v2/token/', { email: 'accent@example.com', password })).status,
      ).toBe(200);
    }
  });
});
