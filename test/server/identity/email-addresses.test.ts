import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Email, isSameEmail } from '#contract/emails.ts';
import { OrganizationCreate } from '#contract/organizations.ts';
import { emailKey, shownEmail } from '#server/identity/accounts/emails.ts';
import { PASSWORD } from '#test/passwords.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { mailsTo, publicCall, signUp } from '../browser.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.services.db.deleteFrom('rate_limits').execute();
});

const GOOD = [
  'ada@example.com',
  'josé@example.com',
  'grüße@münchen.de',
  '用户@例子.公司',
  'юзер@пример.рф',
  "o'brien+news@mail.example.co.uk",
  'ada@xn--mnchen-3ya.de',
  'डाटा@उदाहरण.भारत',
];
const NONSENSE = [
  '',
  'ada',
  'ada@',
  '@example.com',
  'ada@example',
  'a da@example.com',
  'ada@exam ple.com',
  'ada@@example.com',
  'ada@b@example.com',
  'ada\u0000@example.com',
  'ada\n@example.com',
  'ada\u202e@example.com',
  'ada@\u2066example.com',
  'ada\u200b@example.com',
  'ada\u00a0@example.com',
  'ada@example..com',
  'ada@-example.com',
  'ada@example-.com',
  '.ada@example.com',
  'ada.@example.com',
  'ada@example.123',
  '"a b"@example.com',
  'ada@[127.0.0.1]',
  'ada@\ud800.com',
  `${'x'.repeat(65)}@example.com`,
  `ada@${'x.'.repeat(130)}com`,
];

describe('CON-09: e-mail addresses', () => {
  it.each(GOOD)('takes %s', (email) => {
    expect(v.is(Email, email)).toBe(true);
    expect(v.is(OrganizationCreate, { name: 'Engines', contact_email: email })).toBe(true);
  });
  it.each(NONSENSE)('refuses %j', (email) => {
    expect(v.is(Email, email)).toBe(false);
  });

  it('tells people apart neither by case, nor by how letters are composed, nor by how the domain is written', () => {
    const spellings = ['José@München.de', 'JOSE\u0301@MÜNCHEN.DE', 'josé@xn--mnchen-3ya.de'];
    expect(new Set(spellings.map(emailKey)).size).toBe(1);
    expect(new Set(spellings.map((email) => shownEmail(email).toLowerCase())).size).toBe(1);
    expect(isSameEmail('José@München.de', 'jose\u0301@münchen.de')).toBe(true);
    expect(isSameEmail('jose@münchen.de', 'josé@münchen.de')).toBe(false);
    expect(emailKey(' Ada@Example.com ')).toBe('ada@example.com');
  });

  it('signs up, is mailed and signs in, however it is spelled', async () => {
    const email = 'josé@münchen.de';
    expect((await signUp(server, email, PASSWORD)).status).toBe(200);
    expect(await mailsTo(server, email)).toHaveLength(1);
    for (const spelling of [email, 'JOSÉ@MÜNCHEN.DE', email.normalize('NFD'), 'josé@xn--mnchen-3ya.de']) {
      expect((await publicCall(server, 'POST', '/api/v2/token/', { email: spelling, password: PASSWORD })).status).toBe(
        200,
      );
      // What one address may ask for is counted for all spellings together.
      await server.services.db.deleteFrom('rate_limits').execute();
      expect((await publicCall(server, 'PUT', '/api/v2/signup/verify-email/', { email: spelling })).status).toBe(200);
    }
    // Every spelling is the account that there is.
    expect((await mailsTo(server, email)).map(({ subject }) => subject.split(' –')[0]).slice(1)).toEqual(
      Array.from({ length: 4 }, () => 'You already have an account'),
    );
  });
});
