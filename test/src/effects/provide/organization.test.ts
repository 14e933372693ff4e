import { describe, expect, it } from 'vitest';
import { createActor, waitFor } from 'xstate';
import { alone } from '../../../machines/appServices.ts';
import { organizationScreens } from '#src/effects/provide/organization.ts';
import { answeringServer, refusal, type Asked, type Reply } from '../../answering-server.ts';
import { apisAt } from '../../apis.ts';

const ORG = '3f2b8a10-6f1c-4f0e-9a57-0d6b2f4f7a11';
const BOB = '7d2b8a10-6f1c-4f0e-9a57-0d6b2f4f7a12';
const PROJECT = '9a2b8a10-6f1c-4f0e-9a57-0d6b2f4f7a13';
const ENTRY = '5b2b8a10-6f1c-4f0e-9a57-0d6b2f4f7a14';
const at = '2026-01-01T00:00:00Z';
const bob = { uuid: BOB, email: 'bob@example.com', name: '', role: 'member', joined_at: at };
const invited = {
  uuid: ENTRY,
  email: 'cy@example.com',
  role: 'member',
  project_uuids: null,
  invited_by: null,
  created_at: at,
  expires_at: at,
  link: 'http://127.0.0.1/invite/t/',
};
const organization = { uuid: ORG, name: 'Acme', contact_email: 'a@example.com', feature_flags: [], created_at: at };
const base = `/api/v2/organizations/${ORG}/`;

/** The real charts of an organization's screens before a server that answers as told. */
async function screens(answer: (asked: Asked) => Reply) {
  const server = await answeringServer(answer);
  const { call } = apisAt(server.origin);
  const lines = () =>
    server.asked.map(({ method, path, body }) => [
      method,
      path.replace(base, ''),
      body === '' ? null : JSON.parse(body),
    ]);
  return { ...organizationScreens(call), lines };
}

describe("calls of an organization's screens", () => {
  it('ORG-04 PRJ-04 API-01: the dashboard reads figures, projects and this month by day, and its cost when chosen', async () => {
    const projects = [{ uuid: ORG, name: 'Interviews', description: 'Tapes', created_at: at }];
    const month = new Date().toISOString().slice(0, 7);
    const usage = { start_date: at, end_date: at, period: 'daily', buckets: [], series: [] };
    const { organization: dashboard, lines } = await screens(({ path }) => ({
      body: path.endsWith('/activity/')
        ? { ...usage, totals: { requests: 2, audio_ms: 900 } }
        : path.endsWith('/cost/')
          ? { ...usage, currency: 'USD', totals: { cost_micros: 7 } }
          : path.endsWith('/projects/')
            ? { projects }
            : {
                period: { start: at, end: at },
                totals: { requests: 2, audio_ms: 900, cost_micros: null },
                projects: [],
                deleted_projects: [],
                steps: { transcribed: true, spoken: true, key_created: true },
                is_exhausted: false,
                is_budget_reached: false,
                members: 1,
              },
    }));
    const actor = createActor(dashboard, { input: { orgUuid: ORG, role: 'owner' } }).start();
    const { context } = await waitFor(actor, (snapshot) => snapshot.matches({ figures: 'ready' }));
    const chart = async () =>
      (await waitFor(actor.getSnapshot().children.usage!, (snapshot) => snapshot.hasTag('empty'))).context.usage
        ?.figures.totals;
    expect(await chart()).toEqual({ requests: 2, audio_ms: 900 });
    expect(context).toMatchObject({ figures: { totals: { requests: 2 } }, projects, failure: null });
    const days = {
      start_date: `${month}-01`,
      end_date: expect.stringMatching(new RegExp(`^${month}-\\d\\d$`)),
      period: 'daily',
    };
    expect(lines()).toHaveLength(3);
    expect(lines()).toEqual(
      expect.arrayContaining([
        ['GET', 'dashboard/', null],
        ['GET', 'projects/', null],
        ['POST', 'usage/activity/', days],
      ]),
    );
    actor.send({ type: 'chart.chosen', chart: 'cost' });
    expect(await chart()).toEqual({ cost_micros: 7 });
    expect(lines().at(-1)).toEqual(['POST', 'usage/cost/', days]);
  });

  it('ORG-05 ORG-08 API-01: members are listed, read, changed and removed; invitations only for whom they are', async () => {
    const { members, lines } = await screens(({ method, path }) => {
      if (method === 'DELETE') return { status: 204, body: '' };
      if (method === 'PUT') return { body: { ...bob, role: 'admin' } };
      if (path.endsWith('/invite/')) return { body: { invitations: [invited] } };
      if (path.endsWith('/api-keys/')) return { body: { api_keys: [] } };
      return { body: path.endsWith('/users/') ? { users: [bob] } : bob };
    });
    const plain = createActor(members, { input: { orgUuid: ORG, userUuid: 'eve', role: 'member' } }).start();
    await waitFor(plain, (snapshot) => snapshot.matches('ready'));
    expect(lines()).toEqual([['GET', 'users/', null]]);
    const actor = createActor(members, { input: { orgUuid: ORG, userUuid: 'ann', role: 'owner' } }).start();
    const listed = () => waitFor(actor, (snapshot) => snapshot.matches({ ready: 'listed' }));
    await listed();
    actor.send({ type: 'role.change.requested', member: { ...bob, role: 'member' } });
    const { children } = await waitFor(actor, (snapshot) => snapshot.children.roleForm !== undefined);
    children.roleForm?.send({ type: 'field.changed', field: 'role', value: 'admin' });
    children.roleForm?.send({ type: 'submit.requested' });
    await listed();
    actor.send({ type: 'removal.requested', entry: { kind: 'invitation', uuid: ENTRY, name: 'cy' } });
    actor.send({ type: 'removal.confirmed' });
    await listed();
    actor.send({ type: 'removal.requested', entry: { kind: 'member', uuid: BOB, name: 'bob' } });
    const { memberRemoval } = actor.getSnapshot().children;
    if (!memberRemoval) throw new Error('Nothing is asked about a member.');
    await waitFor(memberRemoval, (snapshot) => snapshot.hasTag('loaded'));
    memberRemoval.send({ type: 'removal.confirmed' });
    await listed();
    // The two of the list go out at once.
    expect(new Set(lines().slice(1, 3))).toEqual(
      new Set([
        ['GET', 'users/', null],
        ['GET', 'invite/', null],
      ]),
    );
    expect(lines().slice(3)).toEqual([
      ['GET', `users/${BOB}/`, null],
      ['PUT', `users/${BOB}/`, { role: 'admin' }],
      ['DELETE', `invite/${ENTRY}/`, null],
      // SEC-13: the keys that they made.
      ['GET', `users/${BOB}/api-keys/`, null],
      ['DELETE', `users/${BOB}/`, null],
    ]);
  });

  it('ORG-05 API-01: an invitation names the projects of a member', async () => {
    const { invitation, lines } = await screens(() => ({ status: 201, body: invited }));
    const actor = createActor(invitation, { input: { orgUuid: ORG, role: 'owner', drafts: [] } }).start();
    const { form } = actor.getSnapshot().children;
    const filled = { email: 'cy@example.com', scope: 'chosen', projects: PROJECT };
    for (const field of ['email', 'scope', 'projects'] as const)
      form?.send({ type: 'field.changed', field, value: filled[field] });
    form?.send({ type: 'submit.requested' });
    await waitFor(actor, (snapshot) => snapshot.matches('sent'));
    expect(lines()).toEqual([
      ['POST', 'invite/', { email: 'cy@example.com', role: 'member', project_uuids: [PROJECT] }],
    ]);
  });

  it('ORG-06 ORG-03 PAY-18: settings are read, saved with errors at their fields, and deleted with their balance', async () => {
    const validation_errors = [
      { error_type: 'too_long', location: 'body.name', message: 'Name must be at most 100 characters.' },
    ];
    const { organizationSettings, lines } = await screens(({ method, path }) => {
      if (path.endsWith('/deletion/')) return { body: { balance_micros: 12_500_000 } };
      if (method === 'PUT') return { status: 400, body: refusal('Invalid.', { validation_errors }) };
      return method === 'DELETE' ? { status: 204, body: '' } : { body: organization };
    });
    const actor = createActor(alone(organizationSettings), {
      input: { orgUuid: ORG, projectUuid: '', role: 'owner', drafts: [] },
    }).start();
    const { children } = await waitFor(actor, (snapshot) => snapshot.matches('ready'));
    const form = children.detailsForm;
    if (!form) throw new Error('There is no form.');
    form.send({ type: 'field.changed', field: 'name', value: 'Apex' });
    form.send({ type: 'submit.requested' });
    const { context } = await waitFor(form, (snapshot) => snapshot.context.refusal !== null);
    expect(context.errors).toEqual({ name: 'Name must be at most 100 characters.' });
    actor.send({ type: 'deletion.requested' });
    await waitFor(actor, (snapshot) => snapshot.hasTag('forfeiting'));
    const deletion = actor.getSnapshot().children.deletionForm;
    deletion?.send({ type: 'field.changed', field: 'typed', value: 'Acme' });
    deletion?.send({ type: 'submit.requested' });
    await waitFor(actor, (snapshot) => snapshot.hasTag('deleted'));
    expect(lines()).toEqual([
      ['GET', '', null],
      ['PUT', '', { name: 'Apex', contact_email: 'a@example.com' }],
      ['GET', 'deletion/', null],
      ['DELETE', '?lost_micros=12500000', null],
    ]);
  });

  it('API-01 API-05: the audit log is read by cursor, of its organization', async () => {
    const removal = { actor: 'ann@example.com', action: 'member.removed', subject: 'bob@example.com' };
    const entry = { uuid: ENTRY, at, ...removal, project: null, detail: '', request_id: 'r-1' };
    const { auditLog, lines } = await screens(({ path }) => ({
      body: path.includes('cursor')
        ? { entries: [], next_page_cursor: null }
        : { entries: [entry], next_page_cursor: 'c1' },
    }));
    const actor = createActor(auditLog, { input: { of: ORG } }).start();
    await waitFor(actor, (snapshot) => snapshot.matches('ready'));
    actor.send({ type: 'more.requested' });
    const { context } = await waitFor(actor, (snapshot) => snapshot.context.nextCursor === null);
    expect(context.items).toEqual([{ ...entry, id: ENTRY }]);
    expect(lines()).toEqual([
      ['GET', 'audit/?limit=50', null],
      ['GET', 'audit/?limit=50&cursor=c1', null],
    ]);
  });
});
