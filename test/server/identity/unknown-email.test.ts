/** How long a refusal takes must not tell whether there is an account: what takes long is counted, which a busy machine does not change. */
import type * as Argon2 from '@node-rs/argon2';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { publicCall, signUp } from '../browser.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { PASSWORD } from '#test/passwords.ts';

/** What passwords were compared with, and the hashes that were made. */
const { compared, made } = vi.hoisted(() => ({ compared: new Array<string>(), made: new Array<string>() }));
vi.mock('@node-rs/argon2', async (original) => {
  const argon2 = await original<typeof Argon2>();
  return {
    ...argon2,
    hash: async (...asked: Parameters<typeof argon2.hash>) => {
      const hash = await argon2.hash(...asked);
      made.push(hash);
      return hash;
    },
    verify: (...asked: Parameters<typeof argon2.verify>) => {
      compared.push(String(asked[0]));
      return argon2.verify(...asked);
    },
  };
});

const EMAIL = 'ada@example.com';
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await signUp(server, EMAIL, PASSWORD);
});
afterAll(() => server.close());

/** Of each hash that a wrong password is compared with: how dear it is, which is all before its salt. */
async function costOf(email: string): Promise<string[]> {
  const [before, earlier] = [compared.length, made.length];
  expect((await publicCall(server, 'POST', '/api/v2/token/', { email, password: 'wrong password' })).status).toBe(400);
  expect(made).toHaveLength(earlier);
  return compared.slice(before).map((hash) => hash.split('$').slice(1, 4).join(' '));
}

it('ACC-01: an unknown e-mail takes as many hashes, as dear, as a wrong password', async () => {
  // The first one waits for what all of them are compared with.
  await publicCall(server, 'POST', '/api/v2/token/', { email: 'first@example.com', password: 'wrong password' });
  const known = await costOf(EMAIL);
  expect(known).toEqual(['argon2id v=19 m=19456,t=2,p=1']);
  expect(await costOf('nobody@example.com')).toEqual(known);
});
