/** PPL-10 to PPL-13: what a person takes home, read back by another library than it was written with. */
import { randomUUID } from 'node:crypto';
import { strFromU8, unzipSync } from 'fflate';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EXPORT_FILES, EXPORT_LEFT_OUT, type ExportFile } from '#contract/account-export.ts';
import { archiveOf, README, type ExportContents } from '#server/tenancy/account/export.ts';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { ended as usage, writeUsage } from '../usage.ts';
import { addProject, colleague, deletionOf, invited, join, organizationOf, outcomeOf, projectOf } from '../people.ts';

const EXPORT = '/api/v2/user/export/';
const Lines = v.array(v.looseObject({}));

let server: TestServer;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.services.db.deleteFrom('rate_limits').execute();
  ada = await server.createUser();
  bob = await colleague(server, ada, 'member');
});

/** The files of an archive, as text. */
const unzip = (archive: Uint8Array): Record<string, string> =>
  Object.fromEntries(Object.entries(unzipSync(archive)).map(([name, bytes]) => [name, strFromU8(bytes)]));
const download = async (user: TestUser): Promise<Record<string, string>> => {
  const answer = await server.call(user, 'GET', EXPORT);
  expect(answer.status).toBe(200);
  return unzip(await answer.bytes());
};
const linesOf = (files: Record<string, string>, name: ExportFile): v.InferOutput<typeof Lines> =>
  v.parse(
    Lines,
    (files[name] ?? 'none')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  );

async function transcribe(project_id: string, user: TestUser, text: string): Promise<string> {
  const { db, clock } = server.services;
  const id = randomUUID();
  await db
    .insertInto('transcriptions')
    .values({
      id,
      project_id,
      user_id: user.userId,
      status: 'completed',
      model: 'stt-async-v5',
      filename: 'talk.wav',
      audio_duration_ms: 1000,
      enable_speaker_diarization: false,
      enable_language_identification: false,
      origin: 'playground',
      created_at: clock(),
    })
    .execute();
  await db.insertInto('transcripts').values({ transcription_id: id, text, tokens: '[]' }).execute();
  return id;
}

describe('PPL-10: the archive', () => {
  it('is a file of its own, and has what its README and the screen list', async () => {
    const answer = await server.call(bob, 'GET', EXPORT);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="my-data-\d{4}-\d\d-\d\d\.zip"$/);
    expect(answer.headers.get('cache-control')).toContain('no-store');
    const { [README]: readme = '', ...files } = unzip(await answer.bytes());
    expect(Object.keys(files)).toEqual(EXPORT_FILES.map(({ name }) => name));
    for (const { name, what } of EXPORT_FILES) expect(readme).toContain(`${name}: ${what}`);
    for (const sentence of EXPORT_LEFT_OUT) expect(readme).toContain(sentence);
    expect(readme.split('It does not contain:')[1]).toContain('refused before they began');
  });

  it('has what the person is and did', async () => {
    const { db, clock } = server.services;
    await server.call(bob, 'PUT', '/api/v2/user/', { name: 'Bob' });
    await db
      .insertInto('sso_identities')
      .values({ issuer: 'https://idp', subject: `s-${bob.userId}`, user_id: bob.userId, created_at: clock() })
      .execute();
    const made = await (await server.call(bob, 'POST', `${projectOf(ada)}api-keys/`, { name: 'CI' })).json();
    await server.call(ada, 'PUT', `${organizationOf(ada)}users/${bob.userId}/`, { role: 'admin' });
    await invited(server, { ...ada, access: bob.access }, { email: 'guest@example.com', role: 'member' });
    await writeUsage(db, [usage({ project_id: ada.projectId, user_id: bob.userId, ended_at: clock() })]);
    const transcription = await transcribe(ada.projectId, bob, 'Hello, Bob.');
    const files = await download(bob);
    expect(JSON.parse(files['profile.json'] ?? '')).toMatchObject({
      uuid: bob.userId,
      email: bob.email,
      name: 'Bob',
      has_password: true,
      single_sign_on: [{ issuer: 'https://idp', subject: `s-${bob.userId}` }],
    });
    expect(JSON.parse(files['organizations.json'] ?? '')).toMatchObject(
      [
        { organization: { uuid: bob.organizationId }, role: 'owner' },
        { organization: { uuid: ada.organizationId }, role: 'admin' },
      ].toSorted((one) => (one.organization.uuid === ada.organizationId ? -1 : 1)),
    );
    expect(linesOf(files, 'sessions.jsonl')).toMatchObject([{ ended_at: null }]);
    expect(linesOf(files, 'api-keys.jsonl')).toMatchObject([{ name: 'CI', project: 'Test project', revoked_at: null }]);
    expect(linesOf(files, 'invitations.jsonl')).toMatchObject([{ email: 'guest@example.com' }]);
    expect(linesOf(files, 'audit-log.jsonl')).toMatchObject([
      { action: 'api_key.created', actor: bob.email },
      { action: 'member.role_changed', actor: ada.email, subject: bob.email },
      { action: 'invitation.created', actor: bob.email },
    ]);
    expect(linesOf(files, 'requests.jsonl')).toMatchObject([{ project_uuid: ada.projectId, status: 'completed' }]);
    expect(linesOf(files, 'transcriptions.jsonl')).toMatchObject([
      {
        id: transcription,
        text: 'Hello, Bob.',
        url: `${server.url}/org/${ada.organizationId}/projects/${ada.projectId}/playground/speech-to-text/${transcription}/`,
      },
    ]);
    const all = Object.values(files).join('');
    for (const secret of [made.key, bob.access, 'password_hash', 'key_hash']) expect(all).not.toContain(secret);
  });

  it('has everything where there is much of it', async () => {
    const { db, clock } = server.services;
    await writeUsage(
      db,
      Array.from({ length: 1203 }, (_, count) =>
        usage({ project_id: ada.projectId, user_id: bob.userId, ended_at: new Date(clock().getTime() - count) }),
      ),
    );
    const ids = [];
    for (let count = 0; count < 41; count += 1) ids.push(await transcribe(ada.projectId, bob, `Text ${count}`));
    const files = await download(bob);
    expect(new Set(linesOf(files, 'requests.jsonl').map((line) => line['request_id'])).size).toBe(1203);
    expect(linesOf(files, 'transcriptions.jsonl').map((line) => line['id'])).toEqual(ids);
  });
});

describe('PPL-11: nothing of others', () => {
  it('is in it: neither what others did, nor what the person may not see any more', async () => {
    const { db, clock } = server.services;
    const hidden = await addProject(server, ada, 'Hidden project');
    await transcribe(ada.projectId, ada, 'Of Ada.');
    await transcribe(hidden, bob, 'Not seen any more.');
    await writeUsage(db, [
      usage({ project_id: ada.projectId, user_id: ada.userId, ended_at: clock() }),
      usage({ project_id: hidden, user_id: bob.userId, ended_at: clock() }),
    ]);
    await server.call(ada, 'PUT', organizationOf(ada), { name: 'Secret plans', contact_email: ada.email });
    const carl = await colleague(server, ada, 'billing');
    await transcribe(ada.projectId, carl, 'Made in another role.');
    const [bobs, carls] = [await download(bob), await download(carl)];
    for (const name of ['requests.jsonl', 'transcriptions.jsonl'] as const) expect(linesOf(bobs, name)).toEqual([]);
    expect(linesOf(carls, 'transcriptions.jsonl')).toEqual([]);
    expect(bobs['audit-log.jsonl']).not.toContain('Secret plans');

    const eve = await server.createUser();
    await join(server, eve, bob, 'admin');
    await server.call(bob, 'PUT', organizationOf(eve), { name: 'Left behind', contact_email: eve.email });
    await server.call(bob, 'DELETE', `${organizationOf(eve)}users/${bob.userId}/`);
    expect(Object.values(await download(bob)).join('')).not.toContain('Left behind');
    await server.call(ada, 'DELETE', await deletionOf(server, ada));
    expect(linesOf(await download(ada), 'audit-log.jsonl')).toMatchObject([
      { action: 'organization.deleted', organization: 'Secret plans', actor: ada.email },
    ]);
  });

  it('three at once, then one every ten minutes', async () => {
    for (let count = 0; count < 3; count += 1) await download(bob);
    const refused = await server.call(bob, 'GET', EXPORT);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
    expect(await outcomeOf(refused)).toBe('429 limit_exceeded');
    await download(ada);
  });
});

const nothing = async function* (): AsyncIterable<string> {};
const CONTENTS = Object.fromEntries(EXPORT_FILES.map(({ name }) => [name, nothing])) as ExportContents;
const ABOUT = { product: 'Test', now: new Date() };

describe('PPL-12: written as fast as it is taken', () => {
  it('one that cannot be read to its end breaks off, and is no archive', async () => {
    const broken: unknown[] = [];
    const reading = archiveOf(
      {
        ...CONTENTS,
        'requests.jsonl': async function* () {
          yield '{}\n';
          throw new Error('the database is away');
        },
      },
      ABOUT,
      (error) => broken.push(error),
    ).getReader();
    const taken: Uint8Array[] = [];
    await expect(
      (async () => {
        for (let piece = await reading.read(); !piece.done; piece = await reading.read()) taken.push(piece.value);
      })(),
    ).rejects.toThrow('the database is away');
    expect(broken).toHaveLength(1);
    expect(() => unzipSync(Buffer.concat(taken))).toThrow('invalid zip data');
  });

  it('over HTTP, too: the connection breaks', async () => {
    const { schema } = server.services.db;
    await schema.alterTable('transcripts').renameTo('transcripts_away').execute();
    try {
      const answer = await server.call(bob, 'GET', EXPORT);
      expect(answer.status).toBe(200);
      await expect(answer.bytes()).rejects.toThrow('terminated');
    } finally {
      await schema.alterTable('transcripts_away').renameTo('transcripts').execute();
    }
  });

  it('what nobody takes is not read on', async () => {
    const piece = Buffer.from(Array.from({ length: 65_536 }, () => Math.floor(Math.random() * 256))).toString('latin1');
    const begin = () => {
      let read = 0;
      const archive = archiveOf(
        {
          ...CONTENTS,
          'requests.jsonl': async function* () {
            for (; read < 100; read += 1) yield piece;
          },
        },
        ABOUT,
        () => undefined,
      );
      return { reader: archive.getReader(), read: () => read };
    };
    const left = begin();
    await left.reader.read();
    // Time enough to read all of it, if nothing held it up: another one is taken to its end.
    const taken = begin();
    while (!(await taken.reader.read()).done);
    expect(taken.read()).toBe(100);
    expect(left.read()).toBeLessThan(20);
    await left.reader.cancel();
  });
});
