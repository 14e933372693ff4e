/** Every call of both APIs: by every role, in the own organization and in another's, by nobody, and by who once could. */
import { randomUUID } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MAIN_API } from '#contract/api/main.ts';
import type { ApiRoute } from '#contract/api/route.ts';
import { SPEECH_API } from '#contract/api/speech.ts';
import { may, ROLES, type Role } from '#contract/roles.ts';
import { colleague, outcomeOf } from '../server/people.ts';
import { bearer, startSpeechServer, type SpeechServer } from '../server/speech-api/harness.ts';
import {
  BODIES,
  createWorld as worldOn,
  ID_NAMES,
  isSpeech,
  pathOf,
  REPORTS,
  ROUTES,
  send as sendTo,
  type Ids,
  type World,
} from './calls.ts';

let server: SpeechServer;
beforeAll(async () => {
  server = await startSpeechServer();
});
// A snapshot is of all rows there are: those of the test before would make it dear.
afterEach(async () => {
  const { db } = server.services;
  await db.deleteFrom('organizations').execute();
  await db.deleteFrom('users').execute();
  await db.deleteFrom('outbox').execute();
  // One of the test before would run, and change, during the next.
  await db.deleteFrom('jobs').execute();
});
afterAll(() => server.close());

/** The console's own calls need a role by the table of the API; calls of the speech API that of the playground. */
const CALLS = [
  ...MAIN_API.filter(({ action }) => action !== undefined),
  ...SPEECH_API.filter(({ access }) => access === 'key'),
];
/** Calls of who is signed in, about nobody but themselves. */
const OWN = MAIN_API.filter(({ access, action }) => access === 'bearer' && action === undefined);
/** Calls that show themselves by something else: what they carry, or the page that they come from. */
const OPEN = ROUTES.filter(({ access }) => access === 'none' || access === 'csrf');
const actionOf = ({ action = 'playground.use' }: ApiRoute) => action;

const createWorld = (): Promise<World> => worldOn(server);
/** Sends it; SEC-09: whatever is answered, nothing keeps it. */
async function send(route: ApiRoute, ids: Ids, access: string | null): Promise<Response> {
  const answer = await sendTo(server, route, ids, access);
  expect([route.id, answer.status, answer.headers.get('cache-control')]).toEqual([
    route.id,
    answer.status,
    expect.stringMatching(/^no-store\b/),
  ]);
  return answer;
}

/** What calls could change of an organization or a project, besides what the database itself knows to belong to one. */
const OF_OTHERS = ['organizations', 'payments', 'ledger_entries', 'outbox', 'jobs'];
/** All of that, read once. */
let tables: readonly string[] = [];
async function ownedTables(): Promise<string[]> {
  const { rows } = await sql<{ owned: string }>`
    select distinct conrelid::regclass::text as owned from pg_constraint
    where contype = 'f' and conparentid = 0 and confrelid in ('organizations'::regclass, 'projects'::regclass)`.execute(
    server.services.db,
  );
  return rows.map(({ owned }) => owned);
}
async function snapshot(): Promise<string> {
  if (tables.length === 0) tables = [...OF_OTHERS, ...(await ownedTables())];
  const digests = tables.map(
    (table) => sql`select md5(string_agg(row::text, ',' order by row::text)) as digest from ${sql.table(table)} as row`,
  );
  return JSON.stringify((await sql`${sql.join(digests, sql` union all `)}`.execute(server.services.db)).rows);
}

it('ORG-08: each call of the tables is walked here, by one of three ways', () => {
  expect([...CALLS, ...OWN, ...OPEN].map(({ id }) => id).sort()).toEqual(ROUTES.map(({ id }) => id).sort());
});

it('ORG-08: every call of an organization or a project names what the role must allow', () => {
  const unnamed = MAIN_API.filter(
    ({ path, action }) => /\{(organization|project)\}/.test(path) && action === undefined,
  );
  expect(unnamed.map(({ id }) => id)).toEqual([]);
  expect(CALLS.length).toBeGreaterThan(35);
});

describe.each(CALLS.map((route) => [route.id, route] as const))('%s', (_id, route) => {
  it.each<Role>(ROLES)(
    'ORG-08 SEC-09: in the own organization, by the role %s: as the table of the roles says',
    async (role) => {
      const { owner, ids } = await createWorld();
      // What is finished is no longer cancelled.
      if (route.id === 'cancelTranscription')
        await server.services.db
          .updateTable('transcriptions')
          .set({ status: 'queued', finished_at: null })
          .where('id', '=', ids.transcription)
          .execute();
      const actor = await colleague(server, owner, role);
      const before = await snapshot();
      const allowed = may(role, actionOf(route));
      const outcome = await outcomeOf(await send(route, ids, actor.access));
      // A refusal of the speech API does not tell a stranger from a colleague.
      expect(
        allowed ? Object.keys(route.answers) : [isSpeech(route) ? '404 project_not_found' : '403 permission_denied'],
      ).toContain(outcome);
      expect((await snapshot()) === before).toBe(!allowed || route.method === 'get' || REPORTS.includes(route.id));
    },
  );

  it("ORG-08: in another's organization there is nothing, and nothing changes", async () => {
    const world = await createWorld();
    const stranger = await createWorld();
    const former = await colleague(server, world.owner, 'admin');
    await server.services.db
      .deleteFrom('memberships')
      .where('user_id', '=', former.userId)
      .where('organization_id', '=', world.owner.organizationId)
      .execute();
    const outside = await colleague(server, world.owner, 'member', { added: false });
    const before = await snapshot();
    const isInProject = route.path.includes('{project}') || isSpeech(route);
    for (const { access } of [stranger.owner, former, ...(isInProject ? [outside] : [])])
      expect(await outcomeOf(await send(route, world.ids, access))).toMatch(/^404 (not_found|project_not_found)$/);
    // Unknown, malformed, and through an own organization or project to what is another's.
    for (const name of ID_NAMES) {
      const sent = (ids: Ids): string =>
        pathOf(route, ids) + JSON.stringify(BODIES[route.id]?.(ids)) + (isSpeech(route) ? ids.project : '');
      const isSent = sent({ ...world.ids, [name]: 'x' }) !== sent(world.ids);
      const isInPath = pathOf(route, { ...world.ids, [name]: 'x' }) !== pathOf(route, world.ids);
      for (const id of [...(isSent ? [randomUUID(), stranger.ids[name]] : []), ...(isInPath ? ['x'] : [])])
        expect([
          name,
          id,
          await outcomeOf(await send(route, { ...world.ids, [name]: id }, world.owner.access)),
        ]).toEqual([name, id, expect.stringMatching(/^404 \w*not_found$/)]);
    }
    expect(await snapshot()).toBe(before);
  });

  it('ORG-08: by nobody, and with an access token that is not good: 401, and nothing changes', async () => {
    const { owner, ids } = await createWorld();
    const before = await snapshot();
    for (const access of [null, 'nobody', `${owner.access}x`])
      expect(await outcomeOf(await send(route, ids, access))).toBe('401 unauthenticated');
    expect(await snapshot()).toBe(before);
  });
});

it('what a role may not do is outcomeOf before what it sends is looked at', async () => {
  const owner = await server.createUser();
  const billing = await colleague(server, owner, 'billing');
  for (const [method, path] of [
    ['PUT', `/api/v2/organizations/${owner.organizationId}/`],
    ['POST', `/api/v2/projects/${owner.projectId}/api-keys/`],
  ] as const)
    expect(await outcomeOf(await server.call(billing, method, path, { wrong: true }))).toBe('403 permission_denied');
  expect((await fetch(`${server.url}/v1/files`, { headers: bearer(billing, owner.projectId) })).status).toBe(404);
});

describe.each(OWN.map((route) => [route.id, route] as const))('%s', (_id, route) => {
  it('SEC-09: about nobody but who calls: 401 for nobody, and kept nowhere', async () => {
    const { owner, ids } = await createWorld();
    const before = await snapshot();
    for (const access of [null, 'nobody', `${owner.access}x`]) {
      const answer = await send(route, ids, access);
      // Where something changes, the check of the page's token comes first; nobody has one, but no login.
      expect(await outcomeOf(answer)).toBe('401 unauthenticated');
    }
    expect(await snapshot()).toBe(before);
    const own = await send(route, ids, owner.access);
    expect(own.status).not.toBe(401);
    // A stream of events has no end of its own.
    await own.body?.cancel();
  });
});

describe.each(OPEN.map((route) => [route.id, route] as const))('%s', (_id, route) => {
  it('SEC-09: with what is not good opens nothing, and is kept nowhere', async () => {
    const { ids } = await createWorld();
    const before = await snapshot();
    const answer = await send(route, ids, null);
    // Asking for a letter is answered alike, whoever asks; signing out of a session that is not there, too; a check tells nobody's.
    const answersAll = ['requestSignUp', 'requestRecovery', 'signOut', 'checkPaymentEvents'].includes(route.id);
    expect([route.id, answer.ok]).toEqual([route.id, answersAll]);
    expect((await snapshot()) !== before).toBe(['requestSignUp', 'requestRecovery'].includes(route.id));
  });
});

it('SEC-09: a signed download and the pages of the console are kept nowhere either', async () => {
  const owner = await server.createUser();
  const form = new FormData();
  form.append('file', new Blob(['RIFF']), 'a.wav');
  const { id } = await (
    await fetch(`${server.url}/v1/files`, { method: 'POST', headers: bearer(owner), body: form })
  ).json();
  const { url } = await (await fetch(`${server.url}/v1/files/${id}/url`, { headers: bearer(owner) })).json();
  for (const headers of [{}, { range: 'bytes=0-1' }, { range: 'bytes=99-' }, { 'if-none-match': `"${id}"` }])
    expect((await fetch(url, { headers })).headers.get('cache-control')).toBe('no-store');
  expect(
    (await fetch(`${server.url}/signin/`, { headers: { accept: 'text/html' } })).headers.get('cache-control'),
  ).toBe('no-store');
});

it('SEC-08: behind an https address every answer tells to come back by https; otherwise none does', async () => {
  const secure = await startSpeechServer({ server: { env: { PUBLIC_URL: 'https://console.localhost' } } });
  try {
    const user = await secure.createUser();
    for (const [each, wanted] of [
      [secure, 'max-age=31536000'],
      [server, null],
    ] as const) {
      for (const path of [
        '/healthz',
        '/signin/',
        '/assets/none.js',
        '/api/v2/nothing/',
        '/v1/models',
        '/v1/nothing',
        '/api/docs/',
        '/outbox',
      ]) {
        expect([
          path,
          (await fetch(each.url + path, { redirect: 'manual' })).headers.get('strict-transport-security'),
        ]).toEqual([path, wanted]);
      }
      expect(
        (await each.call(each === secure ? user : undefined, 'GET', '/api/v2/user/')).headers.get(
          'strict-transport-security',
        ),
      ).toBe(wanted);
      for (const path of ['/transcribe-websocket', '/nothing'])
        expect([path, await upgradeHeader(each.url + path)]).toEqual([path, wanted]);
      // Handshakes that are none.
      for (const wrong of [{ 'sec-websocket-version': '7' }, { 'sec-websocket-key': 'short' }])
        expect([wrong, await upgradeHeader(`${each.url}/transcribe-websocket`, wrong)]).toEqual([wrong, wanted]);
    }
  } finally {
    await secure.close();
  }
});

/** What a WebSocket handshake is answered with, taken or refused. */
const upgradeHeader = (url: string, wrong: Record<string, string> = {}): Promise<string | null> =>
  new Promise((resolve, reject) => {
    const told = (answer: IncomingMessage): void => resolve(answer.headers['strict-transport-security'] ?? null);
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
      ...wrong,
    };
    request(url, { headers }, (answer) => {
      answer.resume();
      told(answer);
    })
      .on('upgrade', (answer, socket) => {
        socket.destroy();
        told(answer);
      })
      .on('error', reject)
      .end();
  });
