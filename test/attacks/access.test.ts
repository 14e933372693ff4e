/** Every call of both APIs: by every role, in the own organization and in another's, by nobody, and by who once could. */
import { randomUUID } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import { sql } from 'kysely';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { MAIN_API } from '#contract/api/main.ts';
import type { ApiRoute } from '#contract/api/route.ts';
import { ApiError } from '#contract/errors.ts';
import { SPEECH_API } from '#contract/api/speech.ts';
import { may, ROLES, type Role } from '#contract/roles.ts';
import { CSRF_HEADER } from '#contract/session.ts';
import type { TestUser } from '../server/harness.ts';
import { readDocuments, type Documented } from '../server/http/openapi/documented.ts';
import { colleague, outcomeOf } from '../server/people.ts';
import { bearer, startSpeechServer, type SpeechServer } from '../server/speech-api/harness.ts';
import {
  bodyOf,
  createWorld,
  isSpeech,
  pathOf,
  REPORTS,
  ROUTES,
  send as sendTo,
  type Ids,
  type World,
} from './calls.ts';
import { dropOrganizations } from '../server/money/books.ts';

let server: SpeechServer;
/** What every call is refused on: nothing may change it. */
let world: World;
let stranger: World;
let colleagues: Record<Role, TestUser>;
/** Was an admin of it once. */
let former: TestUser;
/** Belongs to its organization, and not to its project. */
let outside: TestUser;
let tables: readonly string[];
let documented: Documented;
/** The organizations and the users of all of these. */
let lasting: [organizations: string[], users: string[]];
beforeAll(async () => {
  server = await startSpeechServer();
  documented = await readDocuments(server.url);
  [world, stranger] = [await createWorld(server), await createWorld(server)];
  const { owner } = world;
  const by = async (role: Role) => [role, await colleague(server, owner, role)] as const;
  colleagues = Object.fromEntries(await Promise.all(ROLES.map(by))) as Record<Role, TestUser>;
  outside = await colleague(server, owner, 'member', { added: false });
  former = await colleague(server, owner, 'admin');
  const { db } = server.services;
  await db
    .deleteFrom('memberships')
    .where('user_id', '=', former.userId)
    .where('organization_id', '=', owner.organizationId)
    .execute();
  tables = [...OF_OTHERS, ...(await ownedTables())];
  const idsOf = async (table: 'organizations' | 'users') =>
    (await db.selectFrom(table).select('id').execute()).map(({ id }) => id);
  lasting = [await idsOf('organizations'), await idsOf('users')];
});
// A snapshot is of all rows there are: those of the test before would make it dear.
afterEach(async () => {
  const { db } = server.services;
  // First: a running job locks rows in another order than the deletion below, and would go on into the next test.
  await db.deleteFrom('jobs').execute();
  const made = await db.selectFrom('organizations').select('id').where('id', 'not in', lasting[0]).execute();
  if (made.length > 0)
    await dropOrganizations(
      db,
      made.map(({ id }) => id),
    );
  await db.deleteFrom('users').where('id', 'not in', lasting[1]).execute();
  await db.deleteFrom('outbox').execute();
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
const rolesFor = ({ action = 'playground.use' }: ApiRoute) => ROLES.filter((role) => may(role, action));
const isReading = ({ id, method }: ApiRoute): boolean => method === 'get' || REPORTS.includes(id);
/** One of those that the table of the API names. */
const answerOf = ({ answers }: ApiRoute): unknown => expect.toBeOneOf(Object.keys(answers));

/** Streams of events, which have no end of their own. */
const ENDLESS = ROUTES.filter(({ answers }) => Object.values(answers).some((answer) => Object(answer).events));

/** Sends it. API-01: it is answered as the documents say; SEC-09: whatever is answered, nothing keeps it. */
async function send(
  route: ApiRoute,
  ids: Ids,
  access: string | null,
  more?: { headers?: Record<string, string>; body?: BodyInit },
): Promise<Response> {
  const answer = await sendTo(server, route, ids, access, more);
  expect([route.id, answer.status, answer.headers.get('cache-control')]).toEqual([
    route.id,
    answer.status,
    expect.stringMatching(/^no-store\b/),
  ]);
  const isEndless = answer.ok && ENDLESS.includes(route);
  // Programs, for which the speech API is documented, have a key of the project.
  const isOfOthers = isSpeech(route) && (await answer.clone().text()).includes('project_not_found');
  if (!isEndless && !isOfOthers) await documented.fits(route.id, answer.clone());
  return answer;
}
/** Sends one call several times at once. @returns who or what it was sent with, and what came of it */
const outcomes = (route: ApiRoute, calls: readonly [name: string, access: string | null, ids?: Ids][]) =>
  Promise.all(
    calls.map(async ([name, access, ids = world.ids]) => [name, await outcomeOf(await send(route, ids, access))]),
  );
const forNobody = (route: ApiRoute) =>
  outcomes(route, [
    ['nobody', null],
    ['no token', 'nobody'],
    ['a token that was changed', `${world.owner.access}x`],
  ]);
const EACH_UNAUTHENTICATED = Array.from({ length: 3 }, () => [expect.any(String), '401 unauthenticated']);

/** What calls could change of an organization or a project, besides what the database itself knows to belong to one. */
const OF_OTHERS = [
  'organizations',
  'accounts',
  'account_holds',
  'payments',
  'ledger_entries',
  'audit_log',
  'outbox',
  'jobs',
];
async function ownedTables(): Promise<string[]> {
  const { rows } = await sql<{ owned: string }>`
    select distinct conrelid::regclass::text as owned from pg_constraint
    where contype = 'f' and conparentid = 0 and confrelid in ('organizations'::regclass, 'projects'::regclass)`.execute(
    server.services.db,
  );
  // Who may use a project leaves a note there when refused (LOG-10); of others nothing is noted.
  return rows.map(({ owned }) => owned).filter((owned) => owned !== 'refused_requests');
}
async function snapshot(): Promise<string> {
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

/** Ids that are unknown, malformed, or of what is another's, each in place of an own one. */
function wrongIds(route: ApiRoute): [name: string, ids: Ids][] {
  const path = (ids: Ids): string => pathOf(route, ids);
  const sent = (ids: Ids): string =>
    path(ids) + JSON.stringify(bodyOf(route, ids)) + (isSpeech(route) ? ids.project : '');
  return (Object.keys(world.ids) as (keyof Ids)[]).flatMap((name) => {
    const malformed = { ...world.ids, [name]: 'x' };
    const values = [
      ...(sent(malformed) === sent(world.ids) ? [] : [randomUUID(), stranger.ids[name]]),
      ...(path(malformed) === path(world.ids) ? [] : ['x']),
    ];
    return values.map((id): [string, Ids] => [name, { ...world.ids, [name]: id }]);
  });
}

describe.each(CALLS.map((route) => [route.id, route] as const))('%s', (_id, route) => {
  const allowed = rolesFor(route);
  const byRole = (role: Role): [string, string] => [role, colleagues[role].access];

  it('ORG-08 SEC-09: by nobody, a stranger, a role that may not, or with the id of something else, which nobody can tell from none: refused; whoever may reads; nothing changes', async () => {
    const before = await snapshot();
    expect(await forNobody(route)).toEqual(EACH_UNAUTHENTICATED);

    const refused = ROLES.filter((role) => !allowed.includes(role));
    // A refusal of the speech API does not tell a stranger from a colleague.
    const refusal = isSpeech(route) ? '404 project_not_found' : '403 permission_denied';
    expect(await outcomes(route, refused.map(byRole))).toEqual(refused.map((role) => [role, refusal]));

    const isInProject = route.path.includes('{project}') || isSpeech(route);
    const strangers = { stranger: stranger.owner, former, ...(isInProject && { outside }) };
    for (const outcome of await outcomes(
      route,
      Object.entries(strangers).map(([name, { access }]) => [name, access]),
    ))
      expect(outcome).toEqual([expect.any(String), expect.stringMatching(/^404 (not_found|project_not_found)$/)]);

    const words = new Map<string, string>();
    for (const [name, ids] of wrongIds(route)) {
      const answer = await send(route, ids, world.owner.access);
      const { error_type, message } = v.parse(ApiError, await answer.json());
      expect([name, answer.status, error_type]).toEqual([name, 404, expect.stringMatching(/not_found$/)]);
      // Whether it is somebody's, or nobody's, is not told.
      expect(message).toBe(words.get(name) ?? message);
      words.set(name, message);
    }

    const reading = isReading(route) ? allowed : [];
    expect(await outcomes(route, reading.map(byRole))).toEqual(reading.map((role) => [role, answerOf(route)]));
    expect(await snapshot()).toBe(before);
  });
});

describe.each(CALLS.filter((route) => !isReading(route)).map((route) => [route.id, route] as const))(
  '%s',
  (_id, route) => {
    it('API-01 ORG-08 SEC-09: by each role that may, in an organization each: done, and documented', async () => {
      const actors = await Promise.all(
        rolesFor(route).map(async (role) => {
          const { owner, ids } = await createWorld(server);
          return { role, ids, actor: await colleague(server, owner, role) };
        }),
      );
      // What is finished is no longer cancelled.
      if (route.id === 'cancelTranscription')
        await server.services.db.updateTable('transcriptions').set({ status: 'queued', finished_at: null }).execute();
      let before = await snapshot();
      for (const { role, ids, actor } of actors) {
        expect([role, await outcomeOf(await send(route, ids, actor.access))]).toEqual([role, answerOf(route)]);
        const after = await snapshot();
        expect([role, after]).not.toEqual([role, before]);
        before = after;
      }
    });
  },
);

it.each(ROUTES.filter(({ body }) => body && 'json' in body).map((route) => [route.id, route] as const))(
  '%s: API-01: with a list for its body: refused, as documented',
  async (_id, route) => {
    const answer = await send(route, world.ids, world.owner.access, { body: '[]' });
    expect([route.id, answer.ok]).toEqual([route.id, false]);
  },
);

it('ORG-05 ORG-07 ORG-08: what a role may not do is refused before what it sends is looked at', async () => {
  const owner = await server.createUser();
  const [member, billing] = [await colleague(server, owner, 'member'), await colleague(server, owner, 'billing')];
  // Named here: everything above asks the table of roles itself.
  for (const [by, method, path] of [
    [billing, 'PUT', `/api/v2/organizations/${owner.organizationId}/`],
    [billing, 'PUT', `/api/v2/limits/organizations/${owner.organizationId}/`],
    [billing, 'POST', `/api/v2/projects/${owner.projectId}/api-keys/`],
    [member, 'POST', `/api/v2/projects/${owner.projectId}/users/`],
  ] as const)
    expect([path, await outcomeOf(await server.call(by, method, path, { wrong: true }))]).toEqual([
      path,
      '403 permission_denied',
    ]);
  expect((await fetch(`${server.url}/v1/files`, { headers: bearer(billing, owner.projectId) })).status).toBe(404);
});

describe.each(OWN.map((route) => [route.id, route] as const))('%s', (_id, route) => {
  it('SEC-09: about nobody but who calls: 401 for nobody, and kept nowhere', async () => {
    const before = await snapshot();
    // Where something changes, the check of the page's token comes first; nobody has one, but no login.
    expect(await forNobody(route)).toEqual(EACH_UNAUTHENTICATED);
    expect(await snapshot()).toBe(before);
    const own = await send(route, world.ids, (await server.createUser()).access);
    expect(own.status).not.toBe(401);
    // A stream of events has no end of its own.
    await own.body?.cancel();
  });
});

it.each(ROUTES.filter(({ access }) => access === 'csrf').map((route) => [route.id, route] as const))(
  '%s: API-01 SES-02: without the token of the page: refused, whatever else it brings, as documented',
  async (_id, route) => {
    const answer = await send(route, world.ids, null, { headers: { [CSRF_HEADER]: '' } });
    expect(await outcomeOf(answer)).toBe('400 csrf_failed');
  },
);

describe.each(OPEN.map((route) => [route.id, route] as const))('%s', (_id, route) => {
  it('SEC-09: with what is not good opens nothing, and is kept nowhere', async () => {
    const before = await snapshot();
    const answer = await send(route, world.ids, null);
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
  onTestFinished(() => secure.close());
  const paths =
    '/healthz /signin/ /assets/none.js /api/v2/nothing/ /api/v2/user/ /v1/models /v1/nothing /api/docs/ /outbox';
  const told = ({ headers }: Response): string | null => headers.get('strict-transport-security');
  for (const [{ url }, wanted] of [
    [secure, 'max-age=31536000'],
    [server, null],
  ] as const) {
    const answers = paths
      .split(' ')
      .map(async (path) => [path, told(await fetch(url + path, { redirect: 'manual' }))] as const);
    const handshakes = [
      ['/transcribe-websocket'],
      ['/nothing'],
      // These are none.
      ['/transcribe-websocket', { 'sec-websocket-version': '7' }],
      ['/transcribe-websocket', { 'sec-websocket-key': 'short' }],
    ] as const;
    const upgrades = handshakes.map(
      async ([path, wrong]) => [path, wrong, await upgradeHeader(url + path, wrong)] as const,
    );
    for (const answer of await Promise.all([...answers, ...upgrades]))
      expect([answer[0], answer.at(-1)]).toEqual([answer[0], wanted]);
  }
  const user = await secure.createUser();
  expect(told(await secure.call(user, 'GET', '/api/v2/user/'))).toBe('max-age=31536000');
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
