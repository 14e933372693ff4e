/** Guessing a password from many addresses, and keeping the owner out by doing so. */
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TokenPair } from '#contract/session.ts';
import { NEXT_PASSWORD, PASSWORD } from '#test/passwords.ts';
import { bearerCall, linkToken, mailsTo, publicCall, signUp } from '../server/browser.ts';
import { startTestServer, type TestServer } from '../server/harness.ts';

const OWN = '198.51.100.10';
const SECOND_OWN = '198.51.100.20';
const SECOND = 1000;

let server: TestServer;
// Time stands still but where a test moves it: on a slow machine guesses would be forgiven while others are made.
let now = new Date('2026-05-04T09:00:00Z');
const later = (milliseconds: number): void => {
  now = new Date(now.getTime() + milliseconds);
};
let email: string;
let round = 0;
/** What the owner's browser keeps. */
let owned: string;

beforeAll(async () => {
  server = await startTestServer({ env: { TRUSTED_PROXIES: '127.0.0.1' }, overrides: { clock: () => now } });
});
afterAll(() => server.close());
beforeEach(async () => {
  later(30 * 24 * 3600 * SECOND);
  email = `owner-${(round += 1)}@example.com`;
  owned = cookieOf(await signUp(server, email, PASSWORD));
});

const cookieOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .join('; ');
interface From {
  address: string;
  cookie?: string;
}
const signIn = (password: string, { address, cookie }: From, who = email): Promise<Response> =>
  publicCall(
    server,
    'POST',
    '/api/v2/token/',
    { email: who, password },
    { 'x-forwarded-for': address, cookie: `csrftoken=${'x'.repeat(43)}${cookie === undefined ? '' : `; ${cookie}`}` },
  );
const statusOf = async (answer: Promise<Response>): Promise<number> => (await answer).status;
const strangers = (count: number): string[] => Array.from({ length: count }, (_, n) => `203.0.${n >> 8}.${n & 255}`);
/** Every address tries so many times, all at once. */
const attack = async (addresses: readonly string[], tries: number, who = email): Promise<number[]> =>
  Promise.all(
    addresses.flatMap((address) =>
      Array.from({ length: tries }, (_, n) => statusOf(signIn(`guess ${n} of ${address}`, { address }, who))),
    ),
  );
const compared = (statuses: readonly number[]): number => statuses.filter((status) => status === 400).length;

describe('guesses from many addresses', () => {
  it('SEC-04: of 300 from 60 addresses at once, ten are compared; each address then has one a minute', async () => {
    const addresses = strangers(60);
    const statuses = await attack(addresses, 5);
    expect(compared(statuses)).toBe(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(290);
    // Of those whose wait has begun: an address may have had all of its tries among the ten.
    const some = addresses.filter((_, index) => statuses.slice(5 * index, 5 * index + 5).includes(429)).slice(0, 15);
    later(59 * SECOND);
    expect(compared(await attack(some, 1))).toBe(0);
    later(SECOND);
    expect(compared(await attack(some, 2))).toBe(15);
  }, 60_000);

  it('SEC-04: an address has five turns, a minute apart, then one in a quarter of an hour', async () => {
    const addresses = strangers(12);
    const statuses = await attack(addresses, 1);
    const waiting = addresses.filter((_, index) => statuses[index] === 429);
    const guesses: number[] = [];
    for (let minute = 1; minute <= 65; minute += 1) {
      later(60 * SECOND);
      guesses.push(compared(await attack(waiting, 1)));
    }
    expect(guesses.slice(0, 5)).toEqual([2, 2, 2, 2, 2]);
    // Four quarters of an hour for each; and one in five minutes of what all unknown devices share.
    expect(guesses.reduce((sum, count) => sum + count, 0)).toBe(2 * (5 + 4) + 13);
    // Somebody else still waits for a minute only.
    const own = await signIn(PASSWORD, { address: OWN });
    expect([own.status, own.headers.get('retry-after')]).toEqual([429, '60']);
    later(60 * SECOND);
    expect(await statusOf(signIn(PASSWORD, { address: OWN }))).toBe(200);
  }, 60_000);

  it('SEC-04: the networks of one IPv6 site share its turns, and no other does', async () => {
    await attack(strangers(12), 1);
    const site = Array.from({ length: 20 }, (_, n) => `2001:db8:1:${n.toString(16)}::1`);
    const elsewhere = '2001:db8:2::1';
    expect(compared(await attack([...site, elsewhere], 1))).toBe(0);
    later(60 * SECOND);
    expect(compared(await attack(site, 1))).toBe(1);
    expect(compared(await attack([elsewhere], 1))).toBe(1);
  });

  it('SEC-04: a refused try is not compared, so that it does not tell whether the password was right', async () => {
    await attack(strangers(12), 1);
    const [right, wrong] = [
      await signIn(PASSWORD, { address: OWN }),
      await signIn('wrong', { address: '198.51.100.11' }),
    ];
    const told = async (answer: Response): Promise<unknown> => ({
      ...(await answer.json()),
      request_id: '',
      status: answer.status,
      wait: answer.headers.get('retry-after'),
      cookies: answer.headers.getSetCookie(),
    });
    expect(await told(right)).toEqual(await told(wrong));
    expect(right.headers.get('retry-after')).toBe('60');
  });

  it('SEC-04: an unknown account is slowed down alike', async () => {
    const own = await attack(strangers(12), 1);
    const nobody = await attack(
      strangers(12).map((address) => address.replace('203', '202')),
      1,
      'nobody@example.com',
    );
    expect([compared(nobody), nobody.length]).toEqual([compared(own), own.length]);
    expect(await mailsTo(server, 'nobody@example.com')).toEqual([]);
  });

  it('SEC-04: another account is not slowed down', async () => {
    await attack(strangers(12), 1);
    await signUp(server, 'other@example.com', PASSWORD);
    expect(await statusOf(signIn(PASSWORD, { address: OWN }, 'other@example.com'))).toBe(200);
  });
});

describe('the owner meanwhile', () => {
  it('SEC-04: comes in at once on a device that has signed in before, also from an address that the attack uses', async () => {
    for (const address of [OWN, '203.0.0.1']) {
      await attack(strangers(12), 6);
      expect([address, await statusOf(signIn(PASSWORD, { address, cookie: owned }))]).toEqual([address, 200]);
    }
    // Not even all tries of that address take it from the device.
    await attack(['203.0.0.1'], 70);
    expect(await statusOf(signIn(PASSWORD, { address: '203.0.0.1', cookie: owned }))).toBe(200);
  });

  it('SEC-04: comes in on a new device within a minute, however many others try all the time', async () => {
    const addresses = strangers(60);
    await attack(addresses, 1);
    const first = await signIn(PASSWORD, { address: OWN });
    expect(first.status).toBe(429);
    const wait = Number(first.headers.get('retry-after'));
    expect(wait).toBeLessThanOrEqual(60);
    for (let second = 0; second < wait; second += 20) {
      later(20 * SECOND);
      await attack(addresses, 1);
    }
    const second = await signIn(PASSWORD, { address: OWN });
    expect(second.status).toBe(200);
    // And has a device that is known from now on.
    await attack(addresses, 1);
    expect(await statusOf(signIn(PASSWORD, { address: OWN, cookie: cookieOf(second) }))).toBe(200);
  });

  it('SEC-04: who does not wait, but tries again and again, comes in a few seconds later', async () => {
    await attack(strangers(12), 1);
    let waited = 0;
    for (; waited <= 120; waited += 3) {
      if ((await statusOf(signIn(PASSWORD, { address: OWN }))) === 200) break;
      later(3 * SECOND);
    }
    expect(waited).toBeLessThanOrEqual(72);
  });

  it('SEC-04: is told by one mail a day', async () => {
    await attack(strangers(12), 1);
    later(3600 * SECOND);
    await attack(strangers(12), 1);
    const mails = async (): Promise<string[]> =>
      (await mailsTo(server, email))
        .map(({ subject }) => subject)
        .filter((subject) => subject.includes('failed sign-ins'));
    expect(await mails()).toHaveLength(1);
    expect((await mailsTo(server, email)).at(-1)?.body_text).toContain('/password/recover/');
    later(24 * 3600 * SECOND);
    await attack(strangers(12), 1);
    expect(await mails()).toHaveLength(2);
  });

  it('SEC-04: gets no mail for a few mistakes', async () => {
    for (let n = 0; n < 4; n += 1) expect(await statusOf(signIn('oh no', { address: OWN }))).toBe(400);
    expect(await statusOf(signIn(PASSWORD, { address: OWN }))).toBe(200);
    expect((await mailsTo(server, email)).map(({ subject }) => subject)).toEqual([expect.stringContaining('Activate')]);
  });

  it('SEC-04: gets past a stranger at the same address by the mail for a new password, which makes the device known', async () => {
    await attack([...strangers(12), OWN], 6);
    await publicCall(server, 'PUT', '/api/v2/user/password/recover/', { email }, { 'x-forwarded-for': OWN });
    const reset = await publicCall(
      server,
      'POST',
      `/api/v2/user/password/${await linkToken(server, email, 'password')}/`,
      { password: NEXT_PASSWORD },
    );
    v.parse(TokenPair, await reset.json());
    await attack([...strangers(12), OWN], 6);
    expect(await statusOf(signIn(NEXT_PASSWORD, { address: OWN, cookie: cookieOf(reset) }))).toBe(200);
  });
});

describe('the mark of a known device', () => {
  const marked = async (cookie: string): Promise<number> => statusOf(signIn(PASSWORD, { address: OWN, cookie }));

  it('SEC-04: is out of reach for the page and for other sites, and goes to the sign-in only', async () => {
    const [line] = (await signIn(PASSWORD, { address: OWN })).headers.getSetCookie();
    expect(line).toMatch(
      /^device_[\w-]{16}=[\w-]{22}\.[0-9a-z]+\.[\w-]{43}; Max-Age=31536000; Path=\/api\/v2\/token; HttpOnly; SameSite=Strict$/,
    );
  });

  it('SEC-04: is refused when it is forged, of another account, or outlived', async () => {
    const other = cookieOf(await signUp(server, `other-${round}@example.com`, PASSWORD));
    await attack(strangers(12), 1);
    const [name = '', value = ''] = owned.split('=');
    const forged = [
      `${name}=`,
      `${name}=x`,
      `${name}=${'A'.repeat(22)}${value.slice(22)}`,
      `${name}=${value.slice(0, -1)}${value.endsWith('A') ? 'B' : 'A'}`,
      `${name}=${other.split('=')[1]}`,
      other,
    ];
    for (const cookie of forged) expect([cookie, await marked(cookie)]).toEqual([cookie, 429]);
    later(366 * 24 * 3600 * SECOND);
    await attack(strangers(12), 1);
    // From an address that has no turn yet.
    expect(await statusOf(signIn(PASSWORD, { address: SECOND_OWN, cookie: owned }))).toBe(429);
  });

  it('SEC-04: has tries of its own, as many as an address; a new password ends it', async () => {
    const tries: number[] = [];
    for (let n = 0; n < 7; n += 1)
      tries.push(await statusOf(signIn(`guess ${n}`, { address: `192.0.2.${n}`, cookie: owned })));
    expect(tries).toEqual([400, 400, 400, 400, 400, 429, 429]);
    later(12 * SECOND);
    const { access } = v.parse(TokenPair, await (await signIn(PASSWORD, { address: OWN, cookie: owned })).json());
    const changed = await bearerCall(server, access, 'PUT', '/api/v2/user/password/', {
      current_password: PASSWORD,
      new_password: NEXT_PASSWORD,
    });
    expect(changed.status).toBe(200);
    await attack(strangers(12), 1);
    expect(await statusOf(signIn(NEXT_PASSWORD, { address: OWN, cookie: owned }))).toBe(429);
    expect(await statusOf(signIn(NEXT_PASSWORD, { address: OWN, cookie: cookieOf(changed) }))).toBe(200);
  });
});
