import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_STREAMS_MAX } from '#contract/events.ts';
import { signAccess } from '#server/identity/auth.ts';
import { postEntry } from '#server/money/ledger/accounts.ts';
import { EVENTS_CHANNEL } from '#server/tenancy/events/notices.ts';
import { addProject, colleague, deletionOf, invited, organizationOf, outcomeOf, projectOf } from '../people.ts';
import { follow, type EventReader } from '../events-reader.ts';
import { freshSignIn } from '../fresh-sign-in.ts';
import type { TestUser } from '../harness.ts';
import { eventually } from '../eventually.ts';
import { call, startSpeechServer, uploaded, type SpeechServer } from '../speech-api/harness.ts';

let server: SpeechServer;
beforeAll(async () => {
  server = await startSpeechServer({ engine: { auto: true } });
});
afterAll(() => server.close());

const opened: EventReader[] = [];
afterEach(async () => {
  for (const reader of opened.splice(0)) await reader.leave();
});
/** A stream that is left after the test. */
async function open(user: TestUser): Promise<EventReader> {
  const reader = await follow(server, user);
  opened.push(reader);
  return reader;
}

const members = (of: TestUser, user: TestUser): string => `${organizationOf(of)}users/${user.userId}/`;
/** Something of their own that comes after all that was to be told: what has not come by then does not come. */
async function settle(user: TestUser, reader: EventReader): Promise<void> {
  const before = reader.events.length;
  await server.call(user, 'POST', '/api/v2/organizations/', { name: 'Last', contact_email: user.email });
  await eventually(() => {
    expect(reader.types().slice(before)).toContain('membership.added');
  });
}
/** All that was done has been told. It is told in order, but after whoever did it has had the answer. */
async function caughtUp(user: TestUser, reader: EventReader): Promise<void> {
  const mark = { type: 'file.deleted' as const, project_uuid: user.projectId, file_id: randomUUID() };
  await sql`select pg_notify(${EVENTS_CHANNEL}, ${JSON.stringify(mark)})`.execute(server.services.db);
  const at = await eventually(() => {
    const place = reader.events.findIndex((event) => 'file_id' in event && event.file_id === mark.file_id);
    if (place < 0) throw new Error(`Not told yet: ${JSON.stringify(reader.events)}`);
    return place;
  });
  reader.events.splice(at, 1);
}
/** A stream that tells of what is done from now on, and nothing that was done before. */
async function followOn(user: TestUser): Promise<EventReader> {
  const reader = await open(user);
  await caughtUp(user, reader);
  reader.events.splice(1);
  return reader;
}

describe('CON-05 the stream of events', () => {
  it('CON-05 is text/event-stream that nobody keeps or gathers, begins with resync, and takes no token in its address', async () => {
    const user = await server.createUser();
    const { response, types } = await open(user);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(types()).toEqual(['resync']);
    expect(await outcomeOf(await fetch(`${server.url}/api/v2/events/?token=${user.access}`))).toBe(
      '401 unauthenticated',
    );
  });

  it('CON-05 tells a person of their memberships: another role, and the removal, after which the organization is silent', async () => {
    const owner = await server.createUser();
    const user = await colleague(server, owner, 'admin');
    const reader = await followOn(user);
    const organization_uuid = owner.organizationId;
    await server.call(owner, 'PUT', members(owner, user), { role: 'member' });
    await reader.count(2);
    expect(reader.events[1]).toEqual({ type: 'membership.changed', organization_uuid });
    await server.call(owner, 'DELETE', members(owner, user));
    await server.call(owner, 'PUT', organizationOf(owner), { name: 'Behind your back', contact_email: owner.email });
    await server.call(owner, 'PUT', projectOf(owner), { name: 'Secret', description: '' });
    await uploaded(server, owner);
    await settle(user, reader);
    expect(reader.events.slice(2, 3)).toEqual([{ type: 'membership.removed', organization_uuid }]);
    expect(
      reader.events.filter((event) => 'organization_uuid' in event && event.organization_uuid === organization_uuid),
    ).toHaveLength(2);
    expect(reader.events.filter((event) => 'file_id' in event)).toEqual([]);
  });

  it('CON-05 tells of organizations and projects that are renamed, made and deleted, each to those who see them', async () => {
    const owner = await server.createUser();
    const [inside, outside, stranger] = [
      await colleague(server, owner, 'member'),
      await colleague(server, owner, 'member', { added: false }),
      await server.createUser(),
    ];
    const [seen, unseen, foreign] = [await followOn(inside), await followOn(outside), await followOn(stranger)];
    const place = { organization_uuid: owner.organizationId, project_uuid: owner.projectId };

    await server.call(owner, 'PUT', organizationOf(owner), { name: 'New name', contact_email: owner.email });
    await server.call(owner, 'PUT', projectOf(owner), { name: 'New project name', description: '' });
    await server.call(owner, 'POST', `${projectOf(owner)}users/`, { user_uuid: outside.userId });
    await server.call(owner, 'DELETE', `${projectOf(owner)}users/`, { user_uuid: inside.userId });
    await server.call(owner, 'DELETE', projectOf(owner));
    const { project } = await (
      await server.call(owner, 'POST', `${organizationOf(owner)}projects/`, { name: 'Unseen', description: '' })
    ).json();
    await server.call(owner, 'DELETE', await deletionOf(server, owner));
    await Promise.all([settle(inside, seen), settle(outside, unseen), settle(stranger, foreign)]);

    const told = (reader: EventReader) => reader.events.slice(1, -1);
    const changed = { type: 'organization.changed', organization_uuid: owner.organizationId };
    const deleted = { type: 'organization.deleted', organization_uuid: owner.organizationId };
    expect(told(seen)).toEqual([
      changed,
      { type: 'project.changed', ...place },
      { type: 'project_member.removed', ...place },
      deleted,
    ]);
    expect(told(unseen)).toEqual([
      changed,
      { type: 'project_member.added', ...place },
      { type: 'project.deleted', ...place },
      deleted,
    ]);
    expect(told(foreign)).toEqual([]);
    expect(JSON.stringify([seen.events, unseen.events])).not.toContain(project.uuid);
  });

  it('CON-05 CON-16 tells of files and transcriptions in a project to those who work in it, and nobody else', async () => {
    const owner = await server.createUser();
    const [member, billing] = [await colleague(server, owner, 'member'), await colleague(server, owner, 'billing')];
    const [working, paying] = [await followOn(member), await followOn(billing)];
    const file = await uploaded(server, owner);
    const { id } = await (
      await call(server, owner, 'POST', '/transcriptions', { model: 'stt-async-v5', file_id: file.id })
    ).json();
    await eventually(async () => {
      expect((await (await call(server, owner, 'GET', `/transcriptions/${id}`)).json()).status).toBe('completed');
    });
    await call(server, owner, 'DELETE', `/transcriptions/${id}`);
    await call(server, owner, 'DELETE', `/files/${file.id}`);
    await settle(member, working);
    await settle(billing, paying);
    const project_uuid = owner.projectId;
    const types = working.events.flatMap((event) => ('transcription_id' in event ? [event.type] : []));
    expect(types[0]).toBe('transcription.created');
    expect(types.slice(1, -1).length).toBeGreaterThanOrEqual(2);
    expect(new Set(types.slice(1, -1))).toEqual(new Set(['transcription.changed']));
    expect(types.at(-1)).toBe('transcription.deleted');
    expect(working.events.filter((event) => 'file_id' in event)).toEqual([
      { type: 'file.created', project_uuid, file_id: file.id },
      { type: 'file.deleted', project_uuid, file_id: file.id },
    ]);
    // That a request ended is use, which every role reads.
    expect(paying.events.filter((event) => !('organization_uuid' in event))).toEqual([
      { type: 'resync' },
      { type: 'log.added', project_uuid },
    ]);
  });

  it('BIX-01 tells who may see billing that money came, a payment was begun, or autopay was changed, and nobody else', async () => {
    const owner = await server.createUser();
    const [member, billing, stranger] = [
      await colleague(server, owner, 'member'),
      await colleague(server, owner, 'billing'),
      await server.createUser(),
    ];
    const [paying, working, foreign] = [await followOn(billing), await followOn(member), await followOn(stranger)];
    const event = { type: 'billing.changed', organization_uuid: owner.organizationId };
    const told = (reader: EventReader) => reader.events.filter(({ type }) => type === 'billing.changed');
    await server.call(owner, 'PUT', `${organizationOf(owner)}billing/`, {
      autopay: { enabled: false, threshold_micros: 10_000_000, amount_micros: 50_000_000 },
    });
    await caughtUp(billing, paying);
    expect(told(paying)).toEqual([event]);
    const attempt = randomUUID();
    await server.call(owner, 'POST', `${organizationOf(owner)}payment/`, { attempt, amount_micros: 5_000_000 });
    await caughtUp(billing, paying);
    expect(told(paying).length).toBeGreaterThanOrEqual(2);
    const before = told(paying).length;
    await server.services.db.transaction().execute((trx) =>
      postEntry(trx, {
        organizationId: owner.organizationId,
        kind: 'credit',
        micros: 1_000_000,
        cause: `gift:${owner.organizationId}`,
        description: 'Gift',
        at: server.services.clock(),
      }),
    );
    await caughtUp(billing, paying);
    expect(told(paying).slice(before)).toEqual([event]);
    for (const [user, reader] of [
      [member, working],
      [stranger, foreign],
    ] as const) {
      await settle(user, reader);
      expect(told(reader)).toEqual([]);
    }
  });

  it('LIM-12 tells everybody in an organization that a limit of it or of a project was set, granted, asked for or taken away', async () => {
    const owner = await server.createUser();
    const [member, stranger] = [await colleague(server, owner, 'member'), await server.createUser()];
    const [reader, foreign] = [await open(member), await open(stranger)];
    const { organizationId } = owner;
    const told = (of: EventReader) => of.events.filter(({ type }) => type === 'limits.changed');
    const organization = `/api/v2/limits/organizations/${organizationId}/`;
    const ofProject = (value: number | null) =>
      server.call(owner, 'POST', `/api/v2/limits/projects/${owner.projectId}/configure/`, {
        limit: 'concurrent_streams',
        value,
      });
    const put = (value: number) => server.call(owner, 'PUT', organization, { limits: { concurrent_streams: value } });
    const changes: (() => Promise<unknown>)[] = [
      () => put(8),
      () => put(7),
      () => ofProject(3),
      () => ofProject(2),
      () => ofProject(null),
      () =>
        server.call(owner, 'POST', `${organization}increase/`, {
          limit: 'concurrent_streams',
          value: 500,
          reason: 'A conference.',
        }),
      () =>
        server.services.db
          .updateTable('limit_increases')
          .set({ state: 'declined', decided_at: server.services.clock() })
          .where('organization_id', '=', organizationId)
          .execute(),
    ];
    for (const [index, change] of changes.entries()) {
      await change();
      await eventually(() => {
        expect(told(reader)).toHaveLength(index + 1);
      });
    }
    expect(told(reader)[0]).toEqual({ type: 'limits.changed', organization_uuid: organizationId });
    // What stays as it is, is not told; nor what goes with its project.
    await put(7);
    await ofProject(4);
    await server.call(owner, 'DELETE', projectOf(owner));
    await settle(member, reader);
    expect(told(reader)).toHaveLength(changes.length + 1);
    await settle(stranger, foreign);
    expect(told(foreign)).toEqual([]);
  });

  it('CON-04 tells members that somebody joined, has another role or was removed, without saying who', async () => {
    const [owner, stranger] = [await server.createUser(), await server.createUser()];
    const [reader, foreign] = [await followOn(owner), await followOn(stranger)];
    const organization_uuid = owner.organizationId;
    const joining = await server.createUser();
    const { token } = await invited(server, owner, { email: joining.email, role: 'billing' });
    expect((await server.call(joining, 'POST', `/api/v2/organizations/invite/${token}/`)).status).toBe(200);
    await reader.count(2);
    await server.call(owner, 'PUT', members(owner, joining), { role: 'admin' });
    await reader.count(3);
    await server.call(owner, 'DELETE', members(owner, joining));
    await reader.count(4);
    expect(reader.events).toEqual([
      { type: 'resync' },
      ...Array.from({ length: 3 }, () => ({ type: 'members.changed', organization_uuid })),
    ]);
    await settle(stranger, foreign);
    expect(foreign.types()).toEqual(['resync', 'membership.added']);
  });

  it('CON-05 a member who gains the whole organization hears of its other projects from then on', async () => {
    const owner = await server.createUser();
    const user = await colleague(server, owner, 'member');
    const hidden = await addProject(server, owner, 'Hidden');
    const reader = await followOn(user);
    const put = (name: string) => server.call(owner, 'PUT', `/api/v2/projects/${hidden}/`, { name, description: '' });
    await put('Not yet');
    await server.call(owner, 'PUT', members(owner, user), { role: 'admin' });
    await put('Now');
    await settle(user, reader);
    expect(reader.types()).toEqual(['resync', 'membership.changed', 'project.changed', 'membership.added']);
  });

  it("CON-04 marks a change as a page's own for that page only, and not if a job makes it", async () => {
    const [here, there] = [randomUUID(), randomUUID()];
    const user = await server.createUser();
    const [page, otherPage, elsewhere] = [
      { ...user, page: here },
      { ...user, page: there },
      { ...(await colleague(server, user, 'member')), page: randomUUID() },
    ];
    const readers = [await followOn(page), await followOn(otherPage), await followOn(elsewhere)];
    const told = (reader?: EventReader) => reader?.events.slice(1).filter(({ type }) => type !== 'membership.added');
    const place = { organization_uuid: user.organizationId, project_uuid: user.projectId };
    const rename = (by: TestUser, name: string) => server.call(by, 'PUT', projectOf(user), { name, description: '' });
    const changed = { type: 'project.changed', ...place };

    await rename(page, 'Here');
    await rename(otherPage, 'There');
    await rename(user, 'By a program');
    await rename({ ...user, page: `${here}'` }, 'By a page with an id that is none');
    const { id } = await (
      await call(server, page, 'POST', '/transcriptions', {
        model: 'stt-async-v5',
        file_id: (await uploaded(server, user)).id,
      })
    ).json();
    await eventually(async () => {
      expect((await (await call(server, user, 'GET', `/transcriptions/${id}`)).json()).status).toBe('completed');
    });
    for (const reader of readers) await caughtUp(user, reader);
    const renames = readers.map((reader) => told(reader)?.filter(({ type }) => type === 'project.changed'));
    expect(renames).toEqual([
      [{ ...changed, own: true }, changed, changed, changed],
      [changed, { ...changed, own: true }, changed, changed],
      [changed, changed, changed, changed],
    ]);
    const ofJob = told(readers[0])?.filter((event) => 'transcription_id' in event);
    expect(ofJob?.[0]).toMatchObject({ type: 'transcription.created', own: true });
    expect(ofJob?.at(-1)).toEqual({
      type: 'transcription.changed',
      project_uuid: user.projectId,
      transcription_id: id,
    });

    await server.call(page, 'DELETE', await deletionOf(server, user));
    for (const reader of readers) await eventually(() => expect(reader.types()).toContain('organization.deleted'));
    const deleted = { type: 'organization.deleted', organization_uuid: user.organizationId };
    expect(readers.map((reader) => told(reader)?.at(-1))).toEqual([{ ...deleted, own: true }, deleted, deleted]);
    const answers = JSON.stringify(readers.map(({ events }) => events));
    for (const id of [here, there]) expect(answers).not.toContain(id);
  });

  it('CON-05 tells nothing of a change that was taken back', async () => {
    const user = await server.createUser();
    const reader = await followOn(user);
    await expect(
      server.services.db.transaction().execute(async (transaction) => {
        await transaction.updateTable('projects').set({ name: 'Never' }).where('id', '=', user.projectId).execute();
        throw new Error('taken back');
      }),
    ).rejects.toThrow('taken back');
    await settle(user, reader);
    expect(reader.types()).toEqual(['resync', 'membership.added']);
  });

  it('CON-05 ends with its session, and says so; others of the person go on', async () => {
    const user = await server.createUser();
    const other = await freshSignIn(server, user);
    const [ending, staying] = [await open(user), await open(other)];
    await server.services.db
      .updateTable('sessions')
      .set({ revoked_at: server.services.clock() })
      .where('id', '=', user.sessionId)
      .execute();
    await ending.ended;
    expect(ending.types()).toEqual(['resync', 'session.ended']);
    await settle(other, staying);
    expect(staying.types()).not.toContain('session.ended');
  });

  it('CON-05 ends when its access token runs out', async () => {
    const user = await server.createUser();
    const soon = await signAccess(
      { ...server.services, clock: () => new Date(server.services.clock().getTime() - 595_000) },
      user,
    );
    const reader = await open({ ...user, access: soon.access });
    await reader.ended;
    // What was written a moment before may be told, too.
    expect(reader.types()[0]).toBe('resync');
  });

  it('CON-05 a person has so many streams and no more, and one that is closed makes room', async () => {
    const user = await server.createUser();
    const readers = await Promise.all(Array.from({ length: EVENT_STREAMS_MAX }, () => open(user)));
    const onceMore = () =>
      fetch(`${server.url}/api/v2/events/`, { headers: { authorization: `Bearer ${user.access}` } });
    expect(await outcomeOf(await onceMore())).toBe('429 limit_exceeded');
    await readers[0]?.leave();
    await eventually(async () => {
      const again = await onceMore();
      const { status } = again;
      await again.body?.cancel();
      expect(status).toBe(200);
    });
  });

  it('CON-05 closes at shutdown', async () => {
    const own = await startSpeechServer();
    const reader = await follow(own, await own.createUser());
    await own.close();
    // To its end: one whose connection is broken, as what does not end in time is, rejects here.
    await reader.ended;
    expect(reader.types()).toEqual(['resync']);
  });
});
