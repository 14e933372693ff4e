/** What a password may do that is changed just while it is compared. */
import { TokenPair } from '#contract/session.ts';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NEXT_PASSWORD, PASSWORD } from '#test/passwords.ts';
import { bearerCall, publicCall, signUp } from '../server/browser.ts';
import { startTestServer, type TestServer } from '../server/harness.ts';
import { isWaiting } from './waiting.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** What a call is answered if the password is changed after it has read the old one. */
async function answerBeside(email: string, call: () => Promise<Response>): Promise<number> {
  let answer: Promise<Response> | undefined;
  await server.services.db.transaction().execute(async (trx) => {
    await trx.updateTable('users').set({ password_hash: 'another' }).where('email', '=', email).execute();
    answer = call();
    await Promise.race([answer, isWaiting(server.services)]);
  });
  return (await answer)?.status ?? 0;
}

it('SEC-15 ACC-06: no session is opened with a password that was changed while it was compared', async () => {
  const email = 'sign-in@example.com';
  await signUp(server, email, PASSWORD);
  const before = await server.services.db.selectFrom('sessions').select('id').execute();
  const signIn = (): Promise<Response> => publicCall(server, 'POST', '/api/v2/token/', { email, password: PASSWORD });
  expect(await answerBeside(email, signIn)).toBe(400);
  expect(await server.services.db.selectFrom('sessions').select('id').execute()).toEqual(before);
});

it('SEC-15 ACC-09: no password is changed by one that was changed while it was compared', async () => {
  const email = 'change@example.com';
  const { access } = v.parse(TokenPair, await (await signUp(server, email, PASSWORD)).json());
  const change = (): Promise<Response> =>
    bearerCall(server, access, 'PUT', '/api/v2/user/password/', {
      current_password: PASSWORD,
      new_password: NEXT_PASSWORD,
    });
  expect(await answerBeside(email, change)).toBe(400);
  const { password_hash } = await server.services.db
    .selectFrom('users')
    .select('password_hash')
    .where('email', '=', email)
    .executeTakeFirstOrThrow();
  expect(password_hash).toBe('another');
});
