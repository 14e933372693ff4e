/** Asking too often, too much at once, or in somebody else's name. */
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OrganizationCreated } from '#contract/organizations.ts';
import { Invitation } from '#contract/members.ts';
import { mailsTo, publicCall, signUp } from '../server/browser.ts';
import { invite } from '../server/people.ts';
import { PASSWORD } from '#test/passwords.ts';
import { startTestServer, type TestServer } from '../server/harness.ts';

describe('what strangers can cause', () => {
  let server: TestServer;
  let now = new Date('2026-05-04T09:00:00Z');
  const later = (milliseconds: number): void => {
    now = new Date(now.getTime() + milliseconds);
  };
  beforeAll(async () => {
    server = await startTestServer({ env: { TRUSTED_PROXIES: '127.0.0.1' }, overrides: { clock: () => now } });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    await server.services.db.deleteFrom('rate_limits').execute();
    await server.services.db.deleteFrom('outbox').execute();
  });

  const from = (n: number): Record<string, string> => ({ 'x-forwarded-for': `203.0.113.${n}` });
  const ask = (kind: 'sign-up' | 'recovery', email: string, n: number): Promise<Response> =>
    publicCall(
      server,
      'PUT',
      kind === 'sign-up' ? '/api/v2/signup/verify-email/' : '/api/v2/user/password/recover/',
      { email },
      from(n),
    );
  const told = async (answer: Response): Promise<unknown> => [
    answer.status,
    await answer.text(),
    answer.headers.get('retry-after'),
  ];

  it.each(['sign-up', 'recovery'] as const)(
    'SEC-05: mails of %s to one address are capped, wherever they are asked for, and no answer tells',
    async (kind) => {
      const known = `known-${kind}@example.com`;
      await signUp(server, known, PASSWORD);
      for (const email of [`nobody-${kind}@example.com`, known, known.toUpperCase()]) {
        await server.services.db.deleteFrom('outbox').execute();
        if (email === email.toLowerCase()) await server.services.db.deleteFrom('rate_limits').execute();
        const answers = [];
        for (let n = 0; n < 12; n += 1) answers.push(await told(await ask(kind, email, n)));
        expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
          new Set([JSON.stringify([200, '{}', null])]),
        );
        expect([email, (await server.services.db.selectFrom('outbox').select('id').execute()).length]).toEqual([
          email,
          email === email.toLowerCase() ? 5 : 0,
        ]);
      }
      later(600_000);
      await ask(kind, known, 99);
      expect(await mailsTo(server, known)).toHaveLength(1);
    },
  );

  it.each(['sign-up', 'recovery'] as const)(
    'SEC-05: one visitor has three mails of %s sent to one address, known or not, and then waits',
    async (kind) => {
      const known = `flooded-${kind}@example.com`;
      await signUp(server, known, PASSWORD);
      for (const email of [known, `nobody-there-${kind}@example.com`]) {
        await server.services.db.deleteFrom('rate_limits').execute();
        const before = (await mailsTo(server, email)).length;
        const statuses: number[] = [];
        for (let round = 0; round < 4; round += 1) statuses.push((await ask(kind, email, 1)).status);
        expect(statuses).toEqual([200, 200, 200, 429]);
        expect(await mailsTo(server, email)).toHaveLength(before + 3);
      }
    },
  );

  it('SEC-05: whoever uses up the mails with a new link, the owner always has one that is good', async () => {
    const email = 'kept-busy@example.com';
    await signUp(server, email, PASSWORD);
    for (let minute = 0; minute < 120; minute += 5) {
      for (let n = 0; n < 3; n += 1) await ask('recovery', email, n);
      // Letters of another kind take none away.
      await ask('sign-up', email, 7);
      const texts = (await mailsTo(server, email))
        .map(({ body_text }) => /\/password\/([\w-]{43})\//.exec(body_text)?.[1])
        .filter((token) => token !== undefined);
      expect([minute, (await fetch(`${server.url}/api/v2/user/password/${texts.at(-1)}/`)).status]).toEqual([
        minute,
        200,
      ]);
      later(300_000);
    }
  });

  it('SEC-05: mails of one kind take none of the others away', async () => {
    const email = 'many-mails@example.com';
    await signUp(server, email, PASSWORD);
    const [inviter, other] = [await server.createUser(), await server.createUser()];
    const cause = {
      'sign-up': (n: number) => ask('sign-up', email, n),
      recovery: (n: number) => ask('recovery', email, n),
      invitation: (n: number) =>
        invite(server, n % 2 === 0 ? inviter : other, { email, role: 'member', if_pending: 'resend' }),
    };
    const mails = async (): Promise<number> => (await mailsTo(server, email)).length;
    await server.services.db.deleteFrom('rate_limits').execute();
    await server.services.db.deleteFrom('outbox').execute();
    const sent: number[] = [];
    for (const use of Object.values(cause)) {
      for (let n = 0; n < 8; n += 1) expect((await use(n)).ok).toBe(true);
      sent.push(await mails());
    }
    // Two invitations by each of two people.
    expect(sent).toEqual([5, 10, 14]);
  });

  it('SEC-05: invitations to one address are capped over all who invite; each of them gets the link all the same', async () => {
    const people = [await server.createUser(), await server.createUser(), await server.createUser()];
    const outcomes: string[] = [];
    for (let n = 0; n < 9; n += 1) {
      const answer = await invite(server, people[n % 3]!, {
        email: 'guest@example.com',
        role: 'member',
        if_pending: 'resend',
      });
      outcomes.push(
        v
          .parse(Invitation, await answer.clone().json())
          .link.replace(/^.*\/invite\/[\w-]+\/$/, `${answer.status} with a link`),
      );
    }
    expect(outcomes).toEqual([
      ...Array.from({ length: 3 }, () => '201 with a link'),
      ...Array.from({ length: 6 }, () => '200 with a link'),
    ]);
    const mails = await mailsTo(server, 'guest@example.com');
    expect(mails).toHaveLength(6);
    expect(new Set(mails.map(({ body_text }) => /\/invite\/[\w-]+\//.exec(body_text)?.[0])).size).toBe(3);
  });

  it('SEC-05: nobody uses up the invitations that others need, with however many organizations; all together are capped', async () => {
    const email = 'wanted@example.com';
    const stranger = await server.createUser();
    const made = await server.call(stranger, 'POST', '/api/v2/organizations/', {
      name: 'Second',
      contact_email: stranger.email,
    });
    const { organization } = v.parse(OrganizationCreated, await made.json());
    for (let n = 0; n < 4; n += 1)
      for (const organizationId of [stranger.organizationId, organization.uuid])
        expect(
          (await invite(server, { ...stranger, organizationId }, { email, role: 'member', if_pending: 'resend' })).ok,
        ).toBe(true);
    const mails = async () => (await mailsTo(server, email)).length;
    expect(await mails()).toBe(2);
    expect((await invite(server, await server.createUser(), { email, role: 'member' })).status).toBe(201);
    expect(await mails()).toBe(3);
    for (let n = 0; n < 18; n += 1) await invite(server, await server.createUser(), { email, role: 'member' });
    expect(await mails()).toBe(20);
  });

  it('SEC-11: a session is refreshed 30 times a minute, and no more, also when all come at once; the refusal names the limit, and ends nothing', async () => {
    const begun = await (await signUp(server, 'busy@example.com', PASSWORD)).json();
    const other = await (
      await publicCall(server, 'POST', '/api/v2/token/', { email: 'busy@example.com', password: PASSWORD })
    ).json();
    const refresh = (token: string): Promise<Response> =>
      publicCall(server, 'POST', '/api/v2/token/refresh/', { refresh: token });
    later(1000);
    const answers = await Promise.all(Array.from({ length: 40 }, () => refresh(begun.refresh)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    expect(await refused[0]!.json()).toMatchObject({
      error_type: 'limit_exceeded',
      message: 'A session can be refreshed 30 times a minute.',
    });
    expect(refused[0]!.headers.get('retry-after')).toBe('60');
    const newest = await answers.find(({ status }) => status === 200)!.json();
    expect(
      (await fetch(`${server.url}/api/v2/user/`, { headers: { authorization: `Bearer ${newest.access}` } })).status,
    ).toBe(200);
    expect((await refresh(other.refresh)).status).toBe(200);
    later(59_000);
    expect((await refresh(newest.refresh)).status).toBe(429);
    later(1000);
    expect((await refresh(newest.refresh)).status).toBe(200);
  });
});
