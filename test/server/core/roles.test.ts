/** Every call that needs a role, by every role, in the own organization, in another's, and by nobody. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MAIN_API } from '#contract/api/main.ts';
import type { ApiRoute } from '#contract/api/route.ts';
import { SPEECH_API } from '#contract/api/speech.ts';
import { may, ROLES, type Role } from '#contract/roles.ts';
import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import type { TestUser } from '../harness.ts';
import { bearer, startSpeechServer, type SpeechServer } from '../v1/harness.ts';
import { CSRF } from './browser.ts';
import { colleague, outcomeOf } from './people.ts';

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
});
afterAll(() => server.close());

/** The console's own calls need a role by the table of the API; calls of the speech API that of the playground. */
const CALLS = [...MAIN_API.filter(({ action }) => action !== undefined), ...SPEECH_API.filter(({ access }) => access === 'key')];
const isSpeech = ({ path }: ApiRoute): boolean => path.startsWith('/v1/');
const actionOf = ({ action = 'playground.use' }: ApiRoute) => action;

/** An organization with a project and something of everything in it. */
interface World {
  owner: TestUser;
  ids: Record<'organization' | 'project' | 'user' | 'outsideProject' | 'invitation' | 'key' | 'file' | 'transcription', string>;
}

async function createWorld(): Promise<World> {
  const { db, clock } = server.services;
  const owner = await server.createUser();
  const { userId: user } = await colleague(server, owner, 'member');
  const { userId: outsideProject } = await colleague(server, owner, 'member', { added: false });
  const [invitation, key, file, transcription] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const email = `${randomUUID()}@example.com`;
  const created_at = clock();
  const expires_at = new Date(created_at.getTime() + 3_600_000);
  await db
    .with('invitation', (query) => query.insertInto('invitations').values({ id: invitation, organization_id: owner.organizationId, email, email_key: email, role: 'member', project_ids: null, invited_by: owner.userId, created_at, expires_at }))
    .with('key', (query) => query.insertInto('api_keys').values({ id: key, project_id: owner.projectId, name: 'CI', masked: '…', key_hash: key, created_by: owner.userId, created_at }))
    .with('file', (query) => query.insertInto('files').values({ id: file, project_id: owner.projectId, filename: 'a.wav', size: 4, client_reference_id: null, origin: 'playground', created_at }))
    .with('transcription', (query) => query.insertInto('transcriptions').values({
      id: transcription, project_id: owner.projectId, status: 'completed', model: 'stt-async-v5', file_id: file, filename: 'a.wav', audio_duration_ms: 1000, enable_speaker_diarization: false,
      enable_language_identification: false, client_reference_id: null, origin: 'playground', created_at, finished_at: created_at, error_type: null, error_message: null, language_hints: null, context: null,
      audio_url: null, translation: null, language_hints_strict: null, webhook_url: null, webhook_auth_header_name: null, webhook_auth_header_value: null, webhook_status_code: null, request_id: null, api_key_id: null,
    }))
    .insertInto('transcripts').values({ transcription_id: transcription, text: '', tokens: '[]' })
    .execute();
  return { owner, ids: { organization: owner.organizationId, project: owner.projectId, user, outsideProject, invitation, key, file, transcription } };
}

/** What each call that takes a body sends. A call that is new in the table of the API needs an entry here. */
/** Calls that ask by a body and change nothing. */
const REPORTS = ['readOrganizationCost', 'readOrganizationActivity', 'readProjectCost', 'readProjectActivity'];
const BODIES: Readonly<Record<string, (ids: World['ids']) => object>> = {
  updateOrganization: () => ({ name: 'Changed', contact_email: 'changed@example.com' }),
  ...Object.fromEntries(REPORTS.map((id) => [id, () => ({ start_date: '2026-05-01', end_date: '2026-05-31' })])),
  updateMember: () => ({ role: 'billing' }),
  createInvitation: ({ organization }) => ({ email: `guest-of-${organization}@example.com`, role: 'member' }),
  createProject: () => ({ name: 'New', description: '' }),
  updateProject: () => ({ name: 'Changed', description: 'Changed' }),
  addProjectMember: ({ outsideProject }) => ({ user_uuid: outsideProject }),
  removeProjectMember: ({ user }) => ({ user_uuid: user }),
  createApiKey: () => ({ name: 'New' }),
  createTranscription: ({ file }) => ({ model: 'stt-async-v5', file_id: file }),
  createTemporaryKey: () => ({ usage_type: 'transcribe_websocket', expires_in_seconds: 60 }),
};
const QUERIES: Readonly<Record<string, string>> = { listUsageLogs: '?start_time=2026-05-01T00:00:00Z&end_time=2026-05-02T00:00:00Z' };

const pathOf = ({ id, path }: ApiRoute, ids: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name === 'id' ? (path.startsWith('/v1/files') ? 'file' : 'transcription') : name] ?? `unknown parameter ${name}`) + (QUERIES[id] ?? '');

function contentOf({ id, body }: ApiRoute, ids: World['ids']): { headers?: Record<string, string>; body?: BodyInit } {
  if (!body) return {};
  if ('multipart' in body) {
    const form = new FormData();
    form.append(body.file, new Blob(['RIFF']), 'a.wav');
    return { body: form };
  }
  const content = BODIES[id]?.(ids);
  if (!content) throw new Error(`BODIES needs an entry for ${id}`);
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) };
}

/** @param access of who calls; null for nobody, who then has the page's CSRF token only */
function send(route: ApiRoute, ids: World['ids'], access: string | null): Promise<Response> {
  const content = contentOf(route, ids);
  const credential = access === null ? { cookie: `${CSRF_COOKIE}=${CSRF}`, [CSRF_HEADER]: CSRF }
    : isSpeech(route) ? { authorization: `Bearer ${JSON.stringify({ type: 'jwt', project_id: ids.project, token: access })}` } : { authorization: `Bearer ${access}` };
  return fetch(server.url + pathOf(route, ids), { method: route.method.toUpperCase(), ...content, headers: { ...content.headers, ...credential } });
}

const TABLES = ['organizations', 'memberships', 'projects', 'project_members', 'invitations', 'audit_log', 'api_keys', 'files', 'transcriptions', 'temporary_keys', 'outbox', 'jobs'] as const;
/** Stands for all that calls could change. */
async function snapshot(): Promise<string> {
  const digests = TABLES.map((table) => sql`select md5(string_agg(row::text, ',' order by row::text)) as digest from ${sql.table(table)} as row`);
  return JSON.stringify((await sql`${sql.join(digests, sql` union all `)}`.execute(server.services.db)).rows);
}

it('ORG-08: every call of an organization or a project names what the role must allow', () => {
  const unnamed = MAIN_API.filter(({ path, action }) => /\{(organization|project)\}/.test(path) && action === undefined);
  expect(unnamed.map(({ id }) => id)).toEqual([]);
  expect(CALLS.length).toBeGreaterThan(35);
});

describe.each(CALLS.map((route) => [route.id, route] as const))('%s', (_id, route) => {
  it.each<Role>(ROLES)('ORG-08: in the own organization, by the role %s: as the table of the roles says', async (role) => {
    const { owner, ids } = await createWorld();
    const actor = await colleague(server, owner, role);
    const before = await snapshot();
    const allowed = may(role, actionOf(route));
    const outcome = await outcomeOf(await send(route, ids, actor.access));
    // A refusal of the speech API does not tell a stranger from a colleague.
    expect(allowed ? Object.keys(route.answers) : [isSpeech(route) ? '404 project_not_found' : '403 permission_denied']).toContain(outcome);
    expect(await snapshot() === before).toBe(!allowed || route.method === 'get' || REPORTS.includes(route.id));
  });

  it("ORG-08: in another's organization there is nothing, and nothing changes", async () => {
    const world = await createWorld();
    const stranger = await createWorld();
    const former = await colleague(server, world.owner, 'admin');
    await server.services.db.deleteFrom('memberships').where('user_id', '=', former.userId).where('organization_id', '=', world.owner.organizationId).execute();
    const outside = await colleague(server, world.owner, 'member', { added: false });
    const before = await snapshot();
    const isInProject = route.path.includes('{project}') || isSpeech(route);
    for (const { access } of [stranger.owner, former, ...(isInProject ? [outside] : [])]) expect(await outcomeOf(await send(route, world.ids, access))).toMatch(/^404 (not_found|project_not_found)$/);
    // Unknown, malformed, and through an own organization or project to what is another's.
    for (const name of ['organization', 'project', 'user', 'outsideProject', 'invitation', 'key', 'file', 'transcription'] as const) {
      const sent = (ids: World['ids']): string => pathOf(route, ids) + JSON.stringify(BODIES[route.id]?.(ids)) + (isSpeech(route) ? ids.project : '');
      const isSent = sent({ ...world.ids, [name]: 'x' }) !== sent(world.ids);
      const isInPath = pathOf(route, { ...world.ids, [name]: 'x' }) !== pathOf(route, world.ids);
      for (const id of [...(isSent ? [randomUUID(), stranger.ids[name]] : []), ...(isInPath ? ['x'] : [])]) expect([name, id, await outcomeOf(await send(route, { ...world.ids, [name]: id }, world.owner.access))]).toEqual([name, id, expect.stringMatching(/^404 \w*not_found$/)]);
    }
    expect(await snapshot()).toBe(before);
  });

  it('ORG-08: by nobody, and with an access token that is not good: 401, and nothing changes', async () => {
    const { owner, ids } = await createWorld();
    const before = await snapshot();
    for (const access of [null, 'nobody', `${owner.access}x`]) expect(await outcomeOf(await send(route, ids, access))).toBe('401 unauthenticated');
    expect(await snapshot()).toBe(before);
  });
});

it('what a role may not do is outcomeOf before what it sends is looked at', async () => {
  const owner = await server.createUser();
  const billing = await colleague(server, owner, 'billing');
  for (const [method, path] of [['PUT', `/api/v2/organizations/${owner.organizationId}/`], ['POST', `/api/v2/projects/${owner.projectId}/api-keys/`]] as const)
    expect(await outcomeOf(await server.call(billing, method, path, { wrong: true }))).toBe('403 permission_denied');
  expect((await fetch(`${server.url}/v1/files`, { headers: bearer(billing, owner.projectId) })).status).toBe(404);
});
