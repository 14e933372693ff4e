/** Every call of both APIs, as somebody could make it who belongs there. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import * as v from 'valibot';
import { MAIN_API } from '#contract/api/main.ts';
import type { ApiRoute } from '#contract/api/route.ts';
import { SPEECH_API } from '#contract/api/speech.ts';
import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import { exampleOf } from '#server/http/openapi/schemas.ts';
import { hashToken } from '#server/identity/accounts/sessions.ts';
import { hashOf } from '#server/money/billing/error.ts';
import { issueReceipt } from '#server/money/ledger/receipts.ts';
import { CSRF } from '../server/browser.ts';
import { CREDIT } from '../server/money/served.ts';
import { colleague } from '../server/people.ts';
import type { TestServer, TestUser } from '../server/harness.ts';
import { ended, writeUsage } from '../server/usage.ts';

export const ROUTES: readonly ApiRoute[] = [...MAIN_API, ...SPEECH_API];
export const isSpeech = ({ path }: ApiRoute): boolean => path.startsWith('/v1/');
/** Calls that ask by a body and change nothing. */
export const REPORTS = [
  'readOrganizationCost',
  'readOrganizationActivity',
  'readProjectCost',
  'readProjectActivity',
  'readBillingReport',
  'downloadBillingReport',
  'readBillingCost',
  'downloadBillingCost',
];

/** When autopay has stopped. */
const ERROR_AT = new Date('2026-04-15T10:00:00Z');

/** An organization with a project and something of everything in it, with their ids by the parameters of paths. */
export type World = Awaited<ReturnType<typeof createWorld>>;
export type Ids = World['ids'];

export async function createWorld(server: TestServer) {
  const { db, clock, storage } = server.services;
  const owner = await server.createUser();
  const { userId: user } = await colleague(server, owner, 'member');
  const { userId: outsideProject } = await colleague(server, owner, 'member', { added: false });
  const ids = {
    organization: owner.organizationId,
    project: owner.projectId,
    user,
    outsideProject,
    invitation: randomUUID(),
    key: randomUUID(),
    file: randomUUID(),
    transcription: randomUUID(),
    transaction: randomUUID(),
    log: randomUUID(),
  };
  const { invitation, key, file, transcription, transaction, log } = ids;
  const email = `${randomUUID()}@example.com`;
  const created_at = clock();
  const expires_at = new Date(created_at.getTime() + 3_600_000);
  await db
    .with('invitation', (query) =>
      query.insertInto('invitations').values({
        id: invitation,
        organization_id: owner.organizationId,
        email,
        email_key: email,
        role: 'member',
        invited_by: owner.userId,
        created_at,
        expires_at,
      }),
    )
    .with('key', (query) =>
      query.insertInto('api_keys').values({
        id: key,
        project_id: owner.projectId,
        name: 'CI',
        masked: '…',
        key_hash: key,
        created_by: owner.userId,
        created_at,
      }),
    )
    .with('file', (query) =>
      query.insertInto('files').values({
        id: file,
        project_id: owner.projectId,
        filename: 'a.wav',
        size: 4,
        origin: 'playground',
        created_at,
      }),
    )
    .with('transcription', (query) =>
      query.insertInto('transcriptions').values({
        id: transcription,
        project_id: owner.projectId,
        status: 'completed',
        model: 'stt-async-v5',
        file_id: file,
        filename: 'a.wav',
        audio_duration_ms: 1000,
        enable_speaker_diarization: false,
        enable_language_identification: false,
        origin: 'playground',
        created_at,
        finished_at: created_at,
      }),
    )
    .insertInto('transcripts')
    .values({ transcription_id: transcription, text: '', tokens: '[]' })
    .execute();
  await storage.put(file, Readable.from(['RIFF']));
  await db
    .insertInto('webhook_deliveries')
    .values({
      transcription_id: transcription,
      project_id: owner.projectId,
      status: 'completed',
      address: 'https://example.com/hook',
      target: 'v1.sealed',
      state: 'delivered',
      tries: 1,
      status_code: 204,
      created_at,
      changed_at: created_at,
    })
    .execute();
  await db
    .insertInto('ledger_entries')
    .values({
      id: transaction,
      organization_id: owner.organizationId,
      kind: 'payment',
      amount_micros: 0,
      balance_after_micros: 10_000_000,
      cause: `payment:${transaction}`,
      description: 'Payment',
      at: created_at,
    })
    .execute();
  await issueReceipt(db, `payment:${transaction}`, server.services.config);
  await writeUsage(db, [ended({ id: log, project_id: owner.projectId, ended_at: created_at, user_id: owner.userId })]);
  await db
    .updateTable('accounts')
    .set({
      method_id: 'test_4242424242424242',
      method_brand: 'Visa',
      method_last4: '4242',
      method_expires_month: 12,
      method_expires_year: 2099,
      error_message: 'The card was declined.',
      error_at: ERROR_AT,
    })
    .where('organization_id', '=', owner.organizationId)
    .execute();
  for (const [name, create] of othersIn(ids)) {
    const answer = await send(server, create, ids, owner.access);
    Object.assign(ids, {
      [name]: v.parse(Made, await answer.json(), { message: `${create.id} answers no uuid` }).uuid,
    });
  }
  return { owner, ids };
}

const Made = v.object({ uuid: v.string() });

/** The parameters of paths that `ids` lack, with the call that makes one: a POST to what their path begins with. */
function othersIn(ids: Readonly<Record<string, string>>): Map<string, ApiRoute> {
  const others = new Map<string, ApiRoute>();
  for (const { path, action } of MAIN_API)
    for (const { 1: name = '', index } of action === undefined ? [] : path.matchAll(/\{(\w+)\}/g)) {
      if (name in ids) continue;
      const create = ROUTES.find((route) => route.method === 'post' && route.path === path.slice(0, index));
      if (!create) throw new Error(`createWorld has to make the {${name}} of ${path}`);
      others.set(name, create);
    }
  return others;
}

const PASSWORD = 'quartz lantern orbit 71';

/** What calls that take JSON send, every text of it at least once, where their example will not do. */
const BODIES: Readonly<Record<string, (ids: Ids) => Record<string, unknown>>> = {
  finishSso: () => ({ query: 'state=x&code=y' }),
  signUpBySso: () => ({ signup_token: 'unknown', referral: 'friend' }),
  requestSignUp: () => ({ email: 'new@example.com', referral: 'friend', from: '/org/' }),
  changePassword: () => ({ current_password: PASSWORD, new_password: `${PASSWORD} anew` }),
  deleteAccount: () => ({ email: 'ada@example.com', password: PASSWORD }),
  updateOrganization: () => ({ name: 'Changed', contact_email: 'changed@example.com' }),
  ...Object.fromEntries(REPORTS.map((id) => [id, () => ({ start_date: '2026-05-01', end_date: '2026-05-31' })])),
  updateBillingSettings: () => ({
    autopay: { enabled: true, threshold_micros: 0, amount_micros: 10_000_000 },
    details: { name: 'Ada', address: '1 Main Street', tax_id: 'X1' },
  }),
  createPayment: ({ organization }) => ({ attempt: organization, amount_micros: 10_000_000 }),
  setUpPaymentMethod: ({ organization }) => ({ attempt: organization }),
  resetPaymentError: () => ({ version: hashOf({ error_why: null, error_at: ERROR_AT }, []) }),
  requestLimitIncrease: () => ({ limit: 'concurrent_streams', value: 1000, reason: 'A conference' }),
  updateMember: () => ({ role: 'billing' }),
  createInvitation: ({ organization }) => ({ email: `guest-of-${organization}@example.com`, role: 'member' }),
  updateProject: () => ({ name: 'Changed', description: 'Changed' }),
  addProjectMember: ({ outsideProject }) => ({ user_uuid: outsideProject }),
  removeProjectMember: ({ user }) => ({ user_uuid: user }),
  createTranscription: ({ file }) => ({ model: 'stt-async-v5', file_id: file }),
  keepLiveSession: () => ({
    model: 'stt-rt-v5',
    filename: 'Microphone',
    audio_duration_ms: 1000,
    tokens: [{ text: 'Hello', start_ms: 0, end_ms: 500, confidence: 0.9 }],
  }),
};
const QUERIES: Readonly<Record<string, string>> = {
  deleteOrganization: `?lost_micros=${CREDIT}`,
  exportLogs: '?format=csv',
  readMetrics: '?start_date=2026-05-01&end_date=2026-05-02',
  listUsageLogs: '?start_time=2026-05-01T00:00:00Z&end_time=2026-05-02T00:00:00Z',
};

/** Parts of paths that are the same for all. */
const SAME: Readonly<Record<string, string>> = { name: 'dictation' };

/** The JSON that a call sends; undefined if it takes none. */
export function bodyOf({ id, body }: ApiRoute, ids: Ids): Record<string, unknown> | undefined {
  if (!body || !('json' in body)) return undefined;
  return v.parse(v.record(v.string(), v.unknown()), BODIES[id]?.(ids) ?? exampleOf(body.json, 'request'));
}

export const pathOf = ({ id, path }: ApiRoute, ids: Readonly<Record<string, string>>): string =>
  path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) =>
      SAME[name] ??
      ids[name === 'id' ? (path.startsWith('/v1/files') ? 'file' : 'transcription') : name] ??
      `unknown-${name}`,
  ) + (QUERIES[id] ?? '');

export function contentOf(route: ApiRoute, ids: Ids): { headers?: Record<string, string>; body?: BodyInit } {
  const { body } = route;
  if (!body) return {};
  if ('multipart' in body) {
    const form = new FormData();
    form.append(body.file, new Blob(['RIFF']), 'a.wav');
    return { body: form };
  }
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(bodyOf(route, ids)) };
}

export const csrf = { cookie: `${CSRF_COOKIE}=${CSRF}`, [CSRF_HEADER]: CSRF };

/** How somebody shows who they are; nobody has the page's CSRF token only. */
export function credentialOf(route: ApiRoute, ids: Ids, access: string | null): Record<string, string> {
  if (access === null || route.access === 'none' || route.access === 'csrf') return csrf;
  return {
    authorization: `Bearer ${isSpeech(route) ? JSON.stringify({ type: 'jwt', project_id: ids.project, token: access }) : access}`,
  };
}

/** @param access of who calls; null for nobody */
export function send(
  server: TestServer,
  route: ApiRoute,
  ids: Ids,
  access: string | null,
  more: { headers?: Record<string, string>; path?: string; body?: BodyInit } = {},
): Promise<Response> {
  const content = contentOf(route, ids);
  return fetch(server.url + (more.path ?? pathOf(route, ids)), {
    method: route.method.toUpperCase(),
    ...content,
    ...(more.body !== undefined && { body: more.body }),
    headers: { ...content.headers, ...credentialOf(route, ids, access), ...more.headers },
  });
}

/** Tokens of links in mails, good for the calls that take one: so that what such a call refuses is not the link. */
export async function linkTokens(
  server: TestServer,
  { userId }: TestUser,
): Promise<Record<'activate' | 'resetPassword', string>> {
  const { db, clock } = server.services;
  const created_at = clock();
  const times = { created_at, expires_at: new Date(created_at.getTime() + 3_600_000) };
  const [activate, resetPassword] = [randomUUID(), randomUUID()];
  const email = `${activate}@example.com`;
  await db
    .insertInto('activations')
    .values({ token_hash: hashToken(activate), email, email_key: email, referral: null, from_path: null, ...times })
    .execute();
  await db
    .insertInto('recoveries')
    .values({ token_hash: hashToken(resetPassword), user_id: userId, ...times })
    .execute();
  return { activate, resetPassword };
}
