import { readdir } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { incorrectKey } from '#server/speech-api/key-messages.ts';
import type { TestUser } from '../harness.ts';
import { eventually } from '../eventually.ts';
import {
  bearer,
  call,
  liveKey,
  startSpeechServer,
  upload,
  uploaded,
  type LiveClient,
  type SpeechServer,
} from '../speech-api/harness.ts';
import { begin, failure } from '../speech-api/live/live-client.ts';
import { onLoopback, startOther, type OtherServer } from '../outgoing-servers.ts';
import { addProject, colleague, deletionOf, invited, organizationOf, outcomeOf, projectOf } from '../people.ts';

const PROJECT_DELETED = {
  error_code: 401,
  error_type: 'unauthenticated',
  error_message: 'The project of this key was deleted.',
};
const NO_LONGER_GOOD = {
  error_code: 401,
  error_type: 'unauthenticated',
  error_message: 'Invalid/expired temporary API key.',
};

let server: SpeechServer;
let other: OtherServer;
let ada: TestUser;
/** One for each transcription that began; none ever ends by itself. */
let signals: AbortSignal[] = [];
beforeAll(async () => {
  other = await startOther((_seen, response) => response.writeHead(200).end('RIFF'));
  server = await startSpeechServer({
    server: { env: { FETCH_AUDIO_URLS: 'on' } },
    outgoing: { allow: onLoopback },
    engine: {
      info: { workers: 4 },
      transcribe: (_seconds, { signal }) =>
        new Promise((_resolve, reject) => {
          if (!signal) return;
          signals.push(signal);
          signal.addEventListener('abort', () => reject(new Error('given up')));
        }),
    },
  });
});
afterAll(async () => {
  await server.close();
  await other.close();
});
beforeEach(async () => {
  signals = [];
  ada = await server.createUser();
});

const stored = (): Promise<string[]> => readdir(joinPath(server.dataDir, 'files'));
const jobs = () => server.services.db.selectFrom('jobs').selectAll().execute();
const makeKey = async (user: TestUser): Promise<string> =>
  (await (await server.call(user, 'POST', `${projectOf(user)}api-keys/`, { name: 'CI' })).json()).key;
const transcribe = async (user: TestUser, source: object): Promise<string> =>
  (await (await call(server, user, 'POST', '/transcriptions', { model: 'stt-async-v5', ...source })).json()).id;
/** A stream that the engine has begun to hear. */
async function running(api_key: string): Promise<LiveClient> {
  const before = server.engine.streams.length;
  const client = await begin(server, { api_key });
  client.socket.send(Buffer.alloc(3200));
  await eventually(() => expect(server.engine.streams).toHaveLength(before + 1));
  return client;
}

/** The stream that began last goes on to its end. */
async function endsWell(client: LiveClient): Promise<void> {
  server.engine.streams.at(-1)?.say([], true);
  expect(await client.closed).toBe(1000);
  expect(client.frames.at(-1)).toMatchObject({ finished: true });
}

describe.each([
  ['PRJ-02: a deleted project', (user: TestUser) => server.call(user, 'DELETE', projectOf(user))],
  [
    'ORG-06: a deleted organization',
    async (user: TestUser) => server.call(user, 'DELETE', await deletionOf(server, user)),
  ],
] as const)('%s', (_name, remove) => {
  it('takes its recordings from the disk, and nobody else’s', async () => {
    const eve = await server.createUser();
    const files = [await uploaded(server, ada), await uploaded(server, ada, 'second.wav')];
    const others = await uploaded(server, eve);
    const { url } = await (await call(server, ada, 'GET', `/files/${files[0]!.id}/url`)).json();
    expect((await fetch(url)).status).toBe(200);
    expect((await remove(ada)).status).toBe(204);
    expect((await fetch(url)).status).toBe(404);
    for (const { id } of files) await eventually(async () => expect(await stored()).not.toContain(id));
    expect(await stored()).toContain(others.id);
    expect((await call(server, eve, 'GET', `/files/${others.id}`)).status).toBe(200);
  });

  it('stops its transcriptions, at once, and forgets those that wait; others go on', async () => {
    const eve = await server.createUser();
    await transcribe(eve, { file_id: (await uploaded(server, eve)).id });
    const { id: file_id } = await uploaded(server, ada);
    await transcribe(ada, { file_id });
    const fetched = await transcribe(ada, { audio_url: other.url });
    await eventually(() => expect(signals).toHaveLength(3));
    expect(await stored()).toContain(fetched);
    expect((await remove(ada)).status).toBe(204);
    await eventually(() => expect(signals.map(({ aborted }) => aborted)).toEqual([false, true, true]));
    await eventually(async () => expect(await stored()).not.toContain(fetched));
    await eventually(async () => expect((await jobs()).map(({ kind }) => kind)).toEqual(['transcribe']));
    // Leaves no work to the next test.
    expect((await remove(eve)).status).toBe(204);
    await eventually(async () => expect(await jobs()).toEqual([]));
  });

  it('ends its live sessions with a word why, and opens no more', async () => {
    const eve = await server.createUser();
    const [key, temporary, spare] = [await makeKey(ada), await liveKey(server, ada), await liveKey(server, ada)];
    const [byKey, byTemporary, goesOn] = [
      await running(key),
      await running(temporary),
      await running(await liveKey(server, eve)),
    ];
    expect((await remove(ada)).status).toBe(204);
    for (const client of [byKey, byTemporary]) expect(await failure(client)).toMatchObject(PROJECT_DELETED);
    expect(await failure(await begin(server, { api_key: key }))).toMatchObject({
      error_code: 401,
      error_message: incorrectKey(server.services),
    });
    expect(await failure(await begin(server, { api_key: spare }))).toMatchObject(NO_LONGER_GOOD);
    await endsWell(goesOn);
  });

  it('its keys stop at once, for programs and for the console', async () => {
    const key = await makeKey(ada);
    const list = (headers: Record<string, string>): Promise<Response> => fetch(`${server.url}/v1/files`, { headers });
    expect((await list({ authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await remove(ada)).status).toBe(204);
    expect(await outcomeOf(await list({ authorization: `Bearer ${key}` }))).toBe('401 unauthenticated');
    expect(await outcomeOf(await list(bearer(ada)))).toBe('404 project_not_found');
    expect(await outcomeOf(await remove(ada))).toBe('404 not_found');
  });

  it('an upload that comes too late is kept nowhere', async () => {
    const before = await stored();
    let finishUpload = (): void => {};
    const head = `--part\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF`;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from(head));
        finishUpload = () => {
          controller.enqueue(Buffer.from('\r\n--part--\r\n'));
          controller.close();
        };
      },
    });
    // `duplex` is asked for with a streamed body; the types do not know it.
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: { ...bearer(ada), 'content-type': 'multipart/form-data; boundary=part' },
      body,
      duplex: 'half',
    };
    const answer = fetch(`${server.url}/v1/files`, init);
    await eventually(async () => expect(await stored()).toHaveLength(before.length + 1));
    expect((await remove(ada)).status).toBe(204);
    finishUpload();
    expect(await outcomeOf(await answer)).toBe('404 project_not_found');
    expect(await stored()).toEqual(before);
  });
});

describe('what is beside it stays', () => {
  it('PRJ-02: the other projects of the organization', async () => {
    const second = await addProject(server, ada, 'Second');
    expect((await server.call(ada, 'DELETE', `/api/v2/projects/${second}/`)).status).toBe(204);
    expect((await server.call(ada, 'GET', projectOf(ada))).status).toBe(200);
  });

  it('ORG-06: the people, with their other organizations', async () => {
    const bob = await colleague(server, ada, 'admin');
    expect((await server.call(ada, 'DELETE', await deletionOf(server, ada))).status).toBe(204);
    expect((await server.call(bob, 'GET', organizationOf(bob))).status).toBe(200);
    const { organizations } = await (await server.call(ada, 'GET', '/api/v2/user/organizations/')).json();
    expect(organizations).toEqual([]);
    for (const table of ['projects', 'memberships', 'deleted_projects'] as const)
      expect(
        await server.services.db
          .selectFrom(table)
          .selectAll()
          .where('organization_id', '=', ada.organizationId)
          .execute(),
      ).toEqual([]);
  });
});

describe('what is asked while something is deleted', () => {
  it.each([
    ['project', projectOf],
    ['organization', (user: TestUser) => deletionOf(server, user)],
  ] as const)('is done or not found, never a fault: %s', async (_name, pathOf) => {
    const bob = { ...(await colleague(server, ada, 'member')), projectId: ada.projectId };
    const email = `guest-of-${ada.organizationId}@example.com`;
    const { token } = await invited(server, ada, { email, role: 'member' });
    const guest = await server.createUser({ email });
    const { id: file_id } = await uploaded(server, bob);
    const path = await pathOf(ada);
    const answers = await Promise.all([
      upload(server, bob),
      call(server, bob, 'POST', '/transcriptions', { model: 'stt-async-v5', file_id }),
      call(server, bob, 'POST', '/auth/temporary-api-key', {
        usage_type: 'transcribe_websocket',
        expires_in_seconds: 60,
      }),
      server.call(bob, 'POST', `${projectOf(ada)}api-keys/`, { name: 'CI' }),
      server.call(bob, 'POST', `${organizationOf(ada)}projects/`, { name: 'New', description: '' }),
      server.call(guest, 'POST', `/api/v2/organizations/invite/${token}/`),
      server.call(ada, 'POST', `${projectOf(ada)}users/`, { user_uuid: bob.userId }),
      server.call(ada, 'PUT', projectOf(ada), { name: 'Renamed', description: '' }),
      server.call(ada, 'DELETE', path),
    ]);
    const outcomes = await Promise.all(answers.map(outcomeOf));
    for (const outcome of outcomes) expect(outcome).toMatch(/^(20[014]|404 \w*not_found)$/);
    expect(outcomes.at(-1)).toBe('204');
    await eventually(async () => expect(await jobs()).toEqual([]));
  });
});

describe('whoever may no longer use a project from the console', () => {
  const memberPath = (user: TestUser): string => `${organizationOf(ada)}users/${user.userId}/`;

  it.each([
    ['is removed', (bob: TestUser) => server.call(ada, 'DELETE', memberPath(bob))],
    ['leaves', (bob: TestUser) => server.call(bob, 'DELETE', memberPath(bob))],
    ['becomes billing', (bob: TestUser) => server.call(ada, 'PUT', memberPath(bob), { role: 'billing' })],
    [
      'is taken out of the project',
      (bob: TestUser) => server.call(ada, 'DELETE', `${projectOf(ada)}users/`, { user_uuid: bob.userId }),
    ],
  ])(
    'ORG-05 PRJ-02: who %s loses their streams and temporary keys at once; colleagues keep theirs',
    async (_name, end) => {
      const bob = { ...(await colleague(server, ada, 'member')), projectId: ada.projectId };
      const [his, spare, hers] = [await liveKey(server, bob), await liveKey(server, bob), await liveKey(server, ada)];
      const [ends, goesOn] = [await running(his), await running(hers)];
      expect((await end(bob)).ok).toBe(true);
      expect(await failure(ends)).toMatchObject(NO_LONGER_GOOD);
      expect(await failure(await begin(server, { api_key: spare }))).toMatchObject(NO_LONGER_GOOD);
      expect(await outcomeOf(await fetch(`${server.url}/v1/files`, { headers: bearer(bob) }))).toBe(
        '404 project_not_found',
      );
      await endsWell(goesOn);
    },
  );

  it('a change that takes nothing ends nothing', async () => {
    const bob = { ...(await colleague(server, ada, 'member')), projectId: ada.projectId };
    const client = await running(await liveKey(server, bob));
    expect((await server.call(ada, 'PUT', memberPath(bob), { role: 'admin' })).status).toBe(200);
    client.socket.send(Buffer.alloc(3200));
    await eventually(() => expect(server.engine.streams.at(-1)?.audio).toHaveLength(2));
    await endsWell(client);
  });
});
