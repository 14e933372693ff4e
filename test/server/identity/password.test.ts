import { ApiError } from '#contract/errors.ts';
import { TokenPair } from '#contract/session.ts';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../harness.ts';
import { outcomeOf } from '../people.ts';
import { NEXT_PASSWORD as NEW, PASSWORD as OLD } from '#test/passwords.ts';
import { bearerCall, linkToken, mailsTo, publicCall, signUp } from '../browser.ts';

const HOUR_MS = 3600_000;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ env: { PUBLIC_URL: 'https://console.localhost' } });
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.services.db.deleteFrom('rate_limits').execute();
});

const recover = (email: string): Promise<Response> =>
  publicCall(server, 'PUT', '/api/v2/user/password/recover/', { email });
const look = (token: string): Promise<Response> => fetch(`${server.url}/api/v2/user/password/${token}/`);
const reset = (token: string, password: string): Promise<Response> =>
  publicCall(server, 'POST', `/api/v2/user/password/${token}/`, { password });
const signIn = (email: string, password: string): Promise<Response> =>
  publicCall(server, 'POST', '/api/v2/token/', { email, password });
const change = (access: string, current_password: string, new_password: string): Promise<Response> =>
  bearerCall(server, access, 'PUT', '/api/v2/user/password/', { current_password, new_password });
const pairOf = async (answer: Response): Promise<TokenPair> => v.parse(TokenPair, await answer.json());
const alive = async ({ access }: TokenPair): Promise<boolean> =>
  (await bearerCall(server, access, 'GET', '/api/v2/user/')).ok;
const continues = async ({ refresh }: TokenPair): Promise<boolean> =>
  (await publicCall(server, 'POST', '/api/v2/token/refresh/', { refresh })).ok;
/** Asks for a link and takes it out of the mail. */
async function recoveryToken(email: string): Promise<string> {
  expect((await recover(email)).status).toBe(200);
  return linkToken(server, email, 'password');
}

describe('password recovery', () => {
  it('ACC-05: mails a link under the public address, as text and HTML, and keeps its hash only', async () => {
    await signUp(server, 'ada@example.com', OLD);
    const answer = await recover(' Ada@example.com ');
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    const mail = (await mailsTo(server, 'ada@example.com')).at(-1);
    expect(mail?.subject).toBe('Choose a new password – Parlance');
    expect(mail?.body_text).toMatch(/https:\/\/console\.localhost\/password\/[\w-]{43}\/\n/);
    expect(mail?.body_html).toContain('href="https://console.localhost/password/');
    const token = await linkToken(server, 'ada@example.com', 'password');
    const stored = JSON.stringify(await server.services.db.selectFrom('recoveries').selectAll().execute());
    expect(stored).toContain('token_hash');
    expect(stored).not.toContain(token);
  });

  it('ACC-06: the link shows its e-mail, sets the password, signs in, and ends every other session', async () => {
    const before = await pairOf(await signUp(server, 'grace@example.com', OLD));
    const token = await recoveryToken('grace@example.com');
    const shown = await look(token);
    expect([shown.status, await shown.json()]).toEqual([200, { email: 'grace@example.com' }]);
    const answer = await reset(token, NEW);
    expect(answer.status).toBe(200);
    const after = await pairOf(answer);
    expect([await alive(before), await continues(before), await alive(after), await continues(after)]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(await outcomeOf(await signIn('grace@example.com', OLD))).toBe('400 invalid_credentials');
    expect((await signIn('grace@example.com', NEW)).status).toBe(200);
    expect((await mailsTo(server, 'grace@example.com')).at(-1)?.subject).toContain('Your password was changed');
  });

  it("ACC-06: a reset uses up its link and the user's other ones, and nobody else's", async () => {
    await signUp(server, 'two@example.com', OLD);
    await signUp(server, 'other@example.com', OLD);
    const [older, newer, foreign] = [
      await recoveryToken('two@example.com'),
      await recoveryToken('two@example.com'),
      await recoveryToken('other@example.com'),
    ];
    expect((await reset(older, NEW)).status).toBe(200);
    for (const token of [older, newer]) {
      expect(await outcomeOf(await look(token))).toBe('400 token_used');
      expect(await outcomeOf(await reset(token, NEW))).toBe('400 token_used');
    }
    expect((await look(foreign)).status).toBe(200);
  });

  it('ACC-06: of the same link used ten times at once, one use counts', async () => {
    await signUp(server, 'race@example.com', OLD);
    const tokens = [await recoveryToken('race@example.com'), await recoveryToken('race@example.com')];
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => reset(tokens[index % 2] ?? '', NEW)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(9).fill(400)]);
  });

  it('ACC-06: a link dies after an hour', async () => {
    await signUp(server, 'late@example.com', OLD);
    const token = await recoveryToken('late@example.com');
    server.advance(HOUR_MS - 60_000);
    expect((await look(token)).status).toBe(200);
    server.advance(60_000);
    expect(await outcomeOf(await look(token))).toBe('400 token_expired');
    expect(await outcomeOf(await reset(token, NEW))).toBe('400 token_expired');
  });

  it('ACC-06: an unknown link is a 404, before any look at the password', async () => {
    expect(await outcomeOf(await look('made-up'))).toBe('404 token_not_found');
    expect(await outcomeOf(await look('recover'))).toBe('404 token_not_found');
    expect(await outcomeOf(await reset('made-up', 'short'))).toBe('404 token_not_found');
  });

  it('ACC-05: the answer does not tell whether an account exists; either address gets one mail', async () => {
    await signUp(server, 'known@example.com', OLD);
    const lettersBefore = (await mailsTo(server, 'known@example.com')).length;
    const [known, unknown] = [await recover('known@example.com'), await recover('unknown@example.com')];
    expect([known.status, await known.json()]).toEqual([unknown.status, await unknown.json()]);
    expect(await mailsTo(server, 'known@example.com')).toHaveLength(lettersBefore + 1);
    const mails = await mailsTo(server, 'unknown@example.com');
    expect(mails.map(({ subject }) => subject)).toEqual(['There is no account with this address – Parlance']);
    expect(mails[0]?.body_text).toContain('https://console.localhost/signup/');
    expect(mails[0]?.body_text).not.toContain('/password/');
  });

  it("ACC-05 SEC-10: a look-alike address gets nobody's link", async () => {
    await signUp(server, 'kim@example.com', OLD);
    const lettersBefore = (await mailsTo(server, 'kim@example.com')).length;
    for (const other of ['k\u0131m@example.com', '\u043Aim@example.com', '\uFF4Bim@example.com'])
      expect((await recover(other)).status).toBe(200);
    for (const other of ['kim@example.com\u200B', 'kim@exam\u00ADple.com'])
      expect(await outcomeOf(await recover(other))).toBe('400 invalid_request');
    expect(await mailsTo(server, 'kim@example.com')).toHaveLength(lettersBefore);
    // By Unicode the Kelvin sign is the letter K; whoever types it, the letter goes to the address of the account.
    await recover('\u212Aim@example.com');
    expect(await mailsTo(server, 'kim@example.com')).toHaveLength(lettersBefore + 1);
    expect(await mailsTo(server, '\u212Aim@example.com')).toEqual([]);
  });

  it('ACC-05: takes as long for an unknown address as for a known one', async () => {
    await signUp(server, 'timed@example.com', OLD);
    const timed = async (email: string): Promise<number> => {
      await server.services.db.deleteFrom('rate_limits').execute();
      const from = performance.now();
      await recover(email);
      return performance.now() - from;
    };
    // In turn, and the shortest of each: what else the machine does only ever adds.
    let [known, unknown] = [Infinity, Infinity];
    for (let round = 0; round < 15; round += 1) {
      known = Math.min(known, await timed('timed@example.com'));
      unknown = Math.min(unknown, await timed('nobody@example.com'));
    }
    expect(unknown).toBeGreaterThan(known / 3);
    expect(unknown).toBeLessThan(known * 3);
  });
});

describe('password change and profile', () => {
  it('ACC-09: changes the password; the own session stays, the others end, open links are used up', async () => {
    const own = await pairOf(await signUp(server, 'change@example.com', OLD));
    const other = await pairOf(await signIn('change@example.com', OLD));
    const token = await recoveryToken('change@example.com');
    const answer = await change(own.access, OLD, NEW);
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    expect([await alive(own), await continues(own), await alive(other), await continues(other)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(await outcomeOf(await look(token))).toBe('400 token_used');
    expect((await signIn('change@example.com', NEW)).status).toBe(200);
    expect((await mailsTo(server, 'change@example.com')).at(-1)?.subject).toContain('Your password was changed');
  });

  it('ACC-09: a wrong current password is named at its field, changes nothing and ends no session', async () => {
    const own = await pairOf(await signUp(server, 'wrong@example.com', OLD));
    const answer = await change(own.access, 'guess', NEW);
    expect(answer.status).toBe(400);
    expect(v.parse(ApiError, await answer.json())).toMatchObject({
      error_type: 'invalid_credentials',
      message: 'The current password is wrong.',
      validation_errors: [{ location: 'body.current_password' }],
    });
    expect(await alive(own)).toBe(true);
    expect((await signIn('wrong@example.com', OLD)).status).toBe(200);
  });

  it('ACC-09: stops the sixth wrong current password of a minute, and then lets on', async () => {
    const own = await pairOf(await signUp(server, 'guessed@example.com', OLD));
    const statuses: number[] = [];
    for (let round = 0; round < 6; round += 1) statuses.push((await change(own.access, 'guess', NEW)).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
    server.advance(12_000);
    expect((await change(own.access, OLD, NEW)).status).toBe(200);
  });

  it('ACC-09: an account without a password gets one by an empty current one, or by a recovery link', async () => {
    const first = await server.createUser({ email: 'sso@example.com' });
    await server.services.db.updateTable('users').set({ password_hash: null }).where('id', '=', first.userId).execute();
    expect(await (await server.call(first, 'GET', '/api/v2/user/')).json()).toEqual({
      uuid: first.userId,
      email: 'sso@example.com',
      name: '',
      has_password: false,
    });
    expect(await outcomeOf(await signIn('sso@example.com', ''))).toBe('400 invalid_request');
    expect(await outcomeOf(await signIn('sso@example.com', OLD))).toBe('400 invalid_credentials');
    expect(await outcomeOf(await change(first.access, OLD, NEW))).toBe('400 invalid_credentials');
    expect((await change(first.access, '', NEW)).status).toBe(200);
    expect((await signIn('sso@example.com', NEW)).status).toBe(200);
    expect(await (await server.call(first, 'GET', '/api/v2/user/')).json()).toMatchObject({ has_password: true });
    expect(await outcomeOf(await change(first.access, '', OLD))).toBe('400 invalid_credentials');
    await server.services.db.updateTable('users').set({ password_hash: null }).where('id', '=', first.userId).execute();
    expect((await reset(await recoveryToken('sso@example.com'), OLD)).status).toBe(200);
  });

  it('ACC-09: the profile keeps a name', async () => {
    const user = await server.createUser({ email: 'profile@example.com' });
    const put = (name: string): Promise<Response> => server.call(user, 'PUT', '/api/v2/user/', { name });
    const answer = await put('  Ada Lovelace ');
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { uuid: user.userId, email: 'profile@example.com', name: 'Ada Lovelace', has_password: true },
    ]);
    expect(await (await server.call(user, 'GET', '/api/v2/user/')).json()).toMatchObject({ name: 'Ada Lovelace' });
    expect(v.parse(ApiError, await (await put('x'.repeat(101))).json()).validation_errors[0]).toMatchObject({
      location: 'body.name',
      message: 'Name must be at most 100 characters.',
    });
    expect((await put('')).status).toBe(200);
  });
});
