import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '#contract/errors.ts';
import { Invitation, InvitationAccepted, Invitations, InvitationView } from '#contract/members.ts';
import { Memberships, type Membership } from '#contract/organizations.ts';
import { assignableBy, ROLES, type Role } from '#contract/roles.ts';
import { signInvitation } from '#server/tenancy/invitations/token.ts';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { mailsTo } from '../browser.ts';
import { addProject, auditOf, colleague, deletionOf, invite, invited, organizationOf, outcomeOf } from '../people.ts';

const DAY_MS = 86_400_000;

let server: TestServer;
let ada: TestUser;
let email: string;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  ada = await server.createUser();
  email = `Guest.${randomUUID()}@Example.com`;
});

const linkPath = (token: string): string => `/api/v2/organizations/invite/${token}/`;
const view = (token: string): Promise<Response> => fetch(server.url + linkPath(token));
const accept = (user: TestUser | undefined, token: string): Promise<Response> =>
  server.call(user, 'POST', linkPath(token));
const guest = (): Promise<TestUser> => server.createUser({ email: email.toLowerCase() });
const open = async (): Promise<Invitations['invitations']> =>
  v.parse(Invitations, await (await server.call(ada, 'GET', `${organizationOf(ada)}invite/`)).json()).invitations;
const membership = async (user: TestUser): Promise<Membership | undefined> =>
  v
    .parse(Memberships, await (await server.call(user, 'GET', '/api/v2/user/organizations/')).json())
    .organizations.find(({ organization }) => organization.uuid === ada.organizationId);

describe('inviting', () => {
  it('ORG-05: answers with the invitation and its link, for seven days, and lists it', async () => {
    const { token: _token, ...invitation } = await invited(server, ada, { email: ` ${email} `, role: 'admin' });
    expect(invitation).toMatchObject({ email, role: 'admin', invited_by: ada.email });
    expect(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)).toBe(7 * DAY_MS);
    const second = await invited(server, ada, { email: `x${email}`, role: 'member' });
    const listed = await open();
    expect(listed.map(({ uuid }) => uuid)).toEqual([second.uuid, invitation.uuid]);
    expect(listed[1]).toEqual(invitation);
  });

  it('ORG-05 SEC-10: mails who invites, where to, and the link, in text and HTML; names are one line, and never markup', async () => {
    await server.services.db
      .updateTable('organizations')
      .set({ name: '<b>Cheap\r\nThings</b>' })
      .where('id', '=', ada.organizationId)
      .execute();
    const { link } = await invited(server, ada, { email, role: 'member' });
    const [mail] = await mailsTo(server, email);
    expect(mail?.subject).toContain('Join <b>Cheap Things</b>');
    expect(mail?.subject).not.toMatch(/[\r\n]/);
    for (const body of [mail?.body_text, mail?.body_html])
      for (const part of [link, ada.email]) expect(body).toContain(part);
    expect(mail?.body_html).toContain('&lt;b&gt;Cheap Things&lt;/b&gt;');
    expect(mail?.body_html).not.toContain('<b>');
  });

  it('the link is neither in the database nor guessable from what is', async () => {
    const { token, uuid } = await invited(server, ada, { email, role: 'member' });
    const row = await server.services.db
      .selectFrom('invitations')
      .selectAll()
      .where('id', '=', uuid)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(token);
    expect(await outcomeOf(await view(signInvitation(new Uint8Array(32), uuid)))).toBe('404 token_not_found');
  });

  it.each(ROLES)('ORG-05: %s invites, by the table', async (own) => {
    const actor = { ...(await colleague(server, ada, own)), organizationId: ada.organizationId };
    for (const role of ROLES)
      expect([role, await outcomeOf(await invite(server, actor, { email: `${role}.${email}`, role }))]).toEqual([
        role,
        assignableBy(own).includes(role) ? '201' : '403 permission_denied',
      ]);
    expect((await open()).map(({ role }) => role).toReversed()).toEqual(
      ROLES.filter((role) => assignableBy(own).includes(role)),
    );
  });

  it('ORG-05: who is a member already is not invited', async () => {
    const bob = await colleague(server, ada, 'member');
    expect(await outcomeOf(await invite(server, ada, { email: bob.email.toUpperCase(), role: 'admin' }))).toBe(
      '400 already_member',
    );
  });

  it.each([
    [{ role: 'member' }],
    [{ email: 'no', role: 'member' }],
    [{ email: 'a@example.com', role: 'king' }],
    [{ email: 'a@example.com', role: 'member', project_uuids: ['x'] }],
    [{ email: 'a@example.com', role: 'member', project_uuids: [randomUUID()] }],
  ])('ORG-05: refuses %j', async (wanted) => {
    expect(await outcomeOf(await server.call(ada, 'POST', `${organizationOf(ada)}invite/`, wanted))).toBe(
      '400 invalid_request',
    );
    expect(await open()).toEqual([]);
  });

  it("another organization's project cannot be named", async () => {
    const eve = await server.createUser();
    const answer = await invite(server, ada, { email, role: 'member', project_uuids: [ada.projectId, eve.projectId] });
    expect(v.parse(ApiError, await answer.json())).toMatchObject({
      error_type: 'invalid_request',
      validation_errors: [{ location: 'body.project_uuids.1' }],
    });
  });

  it('ORG-05: nobody mails the whole world', async () => {
    for (let n = 0; n < 30; n += 1)
      expect((await invite(server, ada, { email: `${n}.${email}`, role: 'member' })).status).toBe(201);
    expect((await invite(server, ada, { email, role: 'member' })).status).toBe(429);
  });
});

describe('accepting', () => {
  it('ACC-10: anybody with the link sees whom it is for; accepting joins', async () => {
    const { token } = await invited(server, ada, { email, role: 'admin' });
    const seen = await view(token);
    expect([seen.status, v.parse(InvitationView, await seen.json())]).toEqual([
      200,
      { organization: { name: 'Test organization' }, email, role: 'admin', invited_by: ada.email },
    ]);
    const user = await guest();
    expect(await membership(user)).toBeUndefined();
    const answer = await accept(user, token);
    expect([answer.status, v.parse(InvitationAccepted, await answer.json())]).toEqual([
      200,
      { organization: { uuid: ada.organizationId } },
    ]);
    expect(await membership(user)).toMatchObject({ role: 'admin' });
    expect(await open()).toEqual([]);
  });

  it.each<[string, (second: string) => string[] | undefined, string[]]>([
    ['all there are', () => undefined, ['Test project', 'Second']],
    ['those that are named', (second) => [second], ['Second']],
    ['none', () => [], []],
  ])('ACC-10: a member is added to %s', async (_name, chosen, expected) => {
    const second = await addProject(server, ada, 'Second');
    const project_uuids = chosen(second);
    const { token } = await invited(server, ada, { email, role: 'member', ...(project_uuids && { project_uuids }) });
    const user = await guest();
    await accept(user, token);
    expect((await membership(user))?.projects.map(({ name }) => name)).toEqual(expected);
  });

  it('ACC-10: a project that went in the meantime is no obstacle', async () => {
    const second = await addProject(server, ada, 'Second');
    const { token } = await invited(server, ada, { email, role: 'member', project_uuids: [ada.projectId, second] });
    expect((await server.call(ada, 'DELETE', `/api/v2/projects/${second}/`)).status).toBe(204);
    const user = await guest();
    expect((await accept(user, token)).status).toBe(200);
    expect((await membership(user))?.projects.map(({ name }) => name)).toEqual(['Test project']);
  });

  it('ACC-10: only for the e-mail that it was sent to', async () => {
    const { token } = await invited(server, ada, { email, role: 'owner' });
    const eve = await server.createUser();
    const answer = await accept(eve, token);
    const error = v.parse(ApiError, await answer.json());
    expect([answer.status, error.error_type]).toEqual([400, 'wrong_user']);
    expect(error.message).toContain(email);
    expect(await membership(eve)).toBeUndefined();
    expect(await open()).toHaveLength(1);
  });

  it('ACC-10: works once, and does not bring back who was removed', async () => {
    const { token } = await invited(server, ada, { email, role: 'member' });
    const user = await guest();
    const answers = await Promise.all([accept(user, token), accept(user, token)]);
    expect((await Promise.all(answers.map(outcomeOf))).sort()).toEqual(['200', '400 token_used']);
    expect(await outcomeOf(await view(token))).toBe('400 token_used');
    await server.call(ada, 'DELETE', `${organizationOf(ada)}users/${user.userId}/`);
    expect(await outcomeOf(await accept(user, token))).toBe('400 token_used');
    expect(await membership(user)).toBeUndefined();
  });

  it('ACC-10: a member already stays what they are', async () => {
    const { token } = await invited(server, ada, { email, role: 'admin' });
    const user = await colleague(server, ada, 'billing', { email: email.toLowerCase() });
    expect((await accept(user, token)).status).toBe(200);
    expect(await membership(user)).toMatchObject({ role: 'billing' });
    expect(await outcomeOf(await view(token))).toBe('400 token_used');
    expect((await auditOf(server, ada)).map(({ action }) => action)).not.toContain('member.joined');
  });

  it('ACC-10: not after seven days', async () => {
    const { token } = await invited(server, ada, { email, role: 'member' });
    const user = await guest();
    await server.services.db
      .updateTable('invitations')
      .set((eb) => ({ expires_at: eb.ref('created_at') }))
      .where('email', '=', email)
      .execute();
    expect(await outcomeOf(await view(token))).toBe('400 token_expired');
    expect(await outcomeOf(await accept(user, token))).toBe('400 token_expired');
    expect(await open()).toEqual([]);
    expect(await membership(user)).toBeUndefined();
  });

  it('ACC-10: not one that was revoked, nor revoked twice', async () => {
    const { token, uuid } = await invited(server, ada, { email, role: 'member' });
    const path = `${organizationOf(ada)}invite/${uuid}/`;
    expect((await server.call(ada, 'DELETE', path)).status).toBe(204);
    expect(await outcomeOf(await server.call(ada, 'DELETE', path))).toBe('404 not_found');
    expect(await outcomeOf(await view(token))).toBe('400 token_revoked');
    expect(await outcomeOf(await accept(await guest(), token))).toBe('400 token_revoked');
    expect(await open()).toEqual([]);
  });

  it('CON-03: a second invitation says that one is pending, and changes nothing by itself', async () => {
    const first = await invited(server, ada, { email, role: 'admin' });
    const again = await invite(server, ada, { email: email.toUpperCase(), role: 'member' });
    expect([again.status, await again.json()]).toMatchObject([
      400,
      {
        error_type: 'invitation_pending',
        message: `An invitation for ${email} is pending, in the role admin, from ${ada.email}.`,
      },
    ]);
    expect((await open()).map(({ uuid, role }) => [uuid, role])).toEqual([[first.uuid, 'admin']]);
    expect(await mailsTo(server, email)).toHaveLength(1);
  });

  it('CON-03: sent again it is as it was, under the same link, for another seven days', async () => {
    const first = await invited(server, ada, { email, role: 'admin' });
    const last = new Date(Date.now() + 60_000);
    await server.services.db
      .updateTable('invitations')
      .set({ expires_at: last })
      .where('id', '=', first.uuid)
      .execute();
    const answer = await invite(server, ada, { email, role: 'member', if_pending: 'resend' });
    expect(answer.status).toBe(200);
    const again = v.parse(Invitation, await answer.json());
    expect(again).toMatchObject({ uuid: first.uuid, link: first.link, role: 'admin' });
    expect(Date.parse(again.expires_at) - last.getTime()).toBeGreaterThan(6.9 * DAY_MS);
    expect((await mailsTo(server, email)).map(({ body_text }) => body_text.includes(first.link))).toEqual([true, true]);
    const user = await guest();
    // Past the end of the first seven days.
    server.advance(120_000);
    expect((await accept(user, first.token)).status).toBe(200);
    expect(await membership(user)).toMatchObject({ role: 'admin' });
  });

  it('CON-03: of two simultaneous invitations one is told of the other, and two answers to that make one invitation', async () => {
    const twice = await Promise.all(
      ['admin', 'member'].map((role) => invite(server, ada, { email, role: role as Role })),
    );
    expect((await Promise.all(twice.map(outcomeOf))).toSorted()).toEqual(['201', '400 invitation_pending']);
    const [first] = await open();
    const answers = await Promise.all([
      invite(server, ada, { email, role: 'billing', if_pending: 'change' }),
      invite(server, ada, { email, role: 'member', if_pending: 'resend' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await open()).map(({ uuid, role }) => [uuid, role])).toEqual([[first?.uuid, 'billing']]);
  });

  it('CON-03: a question that mails nothing costs none of the mails that an address may get', async () => {
    await invited(server, ada, { email, role: 'member' });
    for (let times = 0; times < 5; times++)
      expect(await outcomeOf(await invite(server, ada, { email, role: 'member' }))).toBe('400 invitation_pending');
    expect((await invite(server, ada, { email, role: 'member', if_pending: 'resend' })).status).toBe(200);
    expect(await mailsTo(server, email)).toHaveLength(2);
  });

  it('CON-03: it changes on purpose, the first link with it', async () => {
    const first = await invited(server, ada, { email, role: 'admin' });
    const answer = await invite(server, ada, {
      email,
      role: 'member',
      project_uuids: [ada.projectId],
      if_pending: 'change',
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { uuid: first.uuid, link: first.link, role: 'member', project_uuids: [ada.projectId] },
    ]);
    const user = await guest();
    expect((await accept(user, first.token)).status).toBe(200);
    expect(await membership(user)).toMatchObject({ role: 'member' });
  });

  it('ORG-05: only an owner takes back what an owner gave', async () => {
    const { uuid } = await invited(server, ada, { email, role: 'owner' });
    const admin = { ...(await colleague(server, ada, 'admin')), organizationId: ada.organizationId };
    expect(await outcomeOf(await server.call(admin, 'DELETE', `${organizationOf(ada)}invite/${uuid}/`))).toBe(
      '403 permission_denied',
    );
    expect(await outcomeOf(await invite(server, admin, { email, role: 'member' }))).toBe('400 already_invited');
    expect((await open()).map(({ role }) => role)).toEqual<Role[]>(['owner']);
  });

  it('ACC-10: not once its organization is gone', async () => {
    const { token } = await invited(server, ada, { email, role: 'member' });
    expect((await server.call(ada, 'DELETE', await deletionOf(server, ada))).status).toBe(204);
    expect(await outcomeOf(await view(token))).toBe('404 token_not_found');
    expect(await outcomeOf(await accept(await guest(), token))).toBe('404 token_not_found');
  });

  it('ACC-10: a malformed link is as unknown as any', async () => {
    const { token } = await invited(server, ada, { email, role: 'member' });
    const user = await guest();
    const flipped = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    const alien = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
    for (const wrong of [
      'x',
      token.slice(1),
      `${token}A`,
      flipped,
      alien,
      `${token.slice(0, -1)}%20`,
      '%00',
      'A'.repeat(64),
      'é'.repeat(64),
    ]) {
      expect([wrong, await outcomeOf(await view(encodeURI(wrong)))]).toEqual([wrong, '404 token_not_found']);
      expect([wrong, await outcomeOf(await accept(user, encodeURI(wrong)))]).toEqual([wrong, '404 token_not_found']);
    }
    expect(await membership(user)).toBeUndefined();
  });
});
