import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiKeyCreated } from '#contract/api-keys.ts';
import type { Frame, OpenApiDocument, Operation } from '#server/http/openapi/document.ts';
import { startIdp, type Idp } from '#test/idp.ts';
import { activationToken, bearerCall, linkToken, publicCall, signUp } from '../../browser.ts';
import { SsoBrowser, visit } from '../../identity/sso-visit.ts';
import { organizationOf, projectOf } from '../../people.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { call, connectLive, liveKey, startSpeechServer, upload, type SpeechServer } from '../../speech-api/harness.ts';
import { onLoopback, startOther, type OtherServer } from '../../outgoing-servers.ts';
import { findings } from './json-schema.ts';
import { NEXT_PASSWORD, PASSWORD } from '#test/passwords.ts';

let server: SpeechServer;
let user: TestUser;
let hooks: OtherServer;
let idp: Idp;
const documents: OpenApiDocument[] = [];
beforeAll(async () => {
  hooks = await startOther((_seen, response) => response.writeHead(204).end());
  idp = await startIdp({ accounts: [{ sub: 'new', email: 'newcomer@example.com', email_verified: true }] });
  server = await startSpeechServer({
    engine: { auto: true },
    outgoing: { allow: onLoopback },
    server: { env: idp.settings },
  });
  user = await server.createUser();
  for (const name of ['main', 'speech'])
    documents.push(await (await fetch(`${server.url}/api/docs/openapi/${name}.json`)).json());
});
afterAll(async () => {
  await server.close();
  await hooks.close();
  await idp.close();
});

interface Described {
  operation: Operation;
  schemas: OpenApiDocument['components']['schemas'];
}
function described(id: string): Described {
  for (const { paths, webhooks, components } of documents) {
    const operation = Object.values({ ...paths, ...webhooks })
      .flatMap((item) => Object.values(item))
      .find(({ operationId }) => operationId === id);
    if (operation) return { operation, schemas: components.schemas };
  }
  throw new Error(`No operation ${id}`);
}

/** Holds an answer against the document: its status is listed, its body fits, nothing in it is left out there. */
async function fits(id: string, status: number, asked: Promise<Response>): Promise<Record<string, unknown>> {
  const answer = await asked;
  const text = await answer.text();
  expect({ id, status: answer.status, text }).toEqual({ id, status, text });
  const { operation, schemas } = described(id);
  const response = operation.responses[status];
  expect([id, status, Object.keys(operation.responses)]).toEqual([
    id,
    status,
    expect.arrayContaining([String(status)]),
  ]);
  const content = response?.content?.['application/json'];
  // No content is an empty object to the caller.
  expect([id, status, text === '', answer.headers.get('content-type')?.split(';')[0]]).toEqual([
    id,
    status,
    content === undefined,
    content && 'application/json',
  ]);
  const body: Record<string, unknown> = JSON.parse(text || '{}');
  expect(findings(body, content?.schema, schemas, `${id} ${status}`)).toEqual([]);
  return body;
}

/** Asks as somebody, and holds the answer against the document. */
const asks =
  (who: TestUser) =>
  (id: string, status: number, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> =>
    fits(id, status, server.call(who, method, path, body));

describe('answers of the main API fit its document', () => {
  const post = (path: string, body: unknown) => publicCall(server, 'POST', path, body);

  it('signing up and in', async () => {
    await fits(
      'requestSignUp',
      200,
      publicCall(server, 'PUT', '/api/v2/signup/verify-email/', { email: 'ada@example.com' }),
    );
    const link = `/api/v2/signup/${await activationToken(server, 'ada@example.com')}/`;
    await fits('readActivation', 200, fetch(server.url + link));
    await fits('activate', 400, publicCall(server, 'PUT', link, { password: 'short' }));
    await fits('activate', 200, publicCall(server, 'PUT', link, { password: PASSWORD }));
    await fits('readActivation', 400, fetch(server.url + link));
    await fits('readActivation', 404, fetch(`${server.url}/api/v2/signup/unknown/`));

    await fits('signIn', 400, post('/api/v2/token/', { email: 'ada@example.com', password: 'wrong' }));
    await fits('signIn', 400, fetch(`${server.url}/api/v2/token/`, { method: 'POST' }));
    const pair = await fits('signIn', 200, post('/api/v2/token/', { email: 'ada@example.com', password: PASSWORD }));
    await fits('verifyAccess', 200, post('/api/v2/token/verify/', { token: pair['access'] }));
    await fits('refreshSession', 200, post('/api/v2/token/refresh/', { refresh: pair['refresh'] }));
    await fits('signOut', 200, post('/api/v2/token/invalidate/', { refresh: pair['refresh'] }));
    await fits('refreshSession', 401, post('/api/v2/token/refresh/', { refresh: pair['refresh'] }));
    await fits('verifyAccess', 401, post('/api/v2/token/verify/', { token: pair['access'] }));
  });

  it('passwords', async () => {
    await signUp(server, 'grace@example.com', PASSWORD);
    const ask = () => publicCall(server, 'PUT', '/api/v2/user/password/recover/', { email: 'grace@example.com' });
    await fits('requestRecovery', 200, ask());
    const link = `/api/v2/user/password/${await linkToken(server, 'grace@example.com', 'password')}/`;
    await fits('readRecovery', 200, fetch(server.url + link));
    const pair = await fits('resetPassword', 200, post(link, { password: NEXT_PASSWORD }));
    await fits('readRecovery', 400, fetch(server.url + link));
    await fits('resetPassword', 404, post('/api/v2/user/password/unknown/', { password: NEXT_PASSWORD }));
    const change = (current_password: string) =>
      bearerCall(server, String(pair['access']), 'PUT', '/api/v2/user/password/', {
        current_password,
        new_password: PASSWORD,
      });
    await fits('changePassword', 400, change('wrong'));
    await fits('changePassword', 200, change(NEXT_PASSWORD));
    await ask();
    await ask();
    await fits('requestRecovery', 429, ask());
  });

  it('single sign-on', async () => {
    const browser = new SsoBrowser(server);
    await fits('beginSso', 200, browser.begin());
    const query = await visit(await browser.beginAt(), ['new', 'allow']);
    const asked = await fits('finishSso', 200, browser.finish(query));
    await fits('finishSso', 400, browser.finish(query));
    await fits('signUpBySso', 200, browser.signUp(String(asked['signup_token'])));
    await fits('signUpBySso', 400, browser.signUp(String(asked['signup_token'])));
    await fits('signUpBySso', 404, browser.signUp('unknown'));
    expect(
      await fits('finishSso', 200, browser.finish(await visit(await browser.beginAt(), ['new', 'allow']))),
    ).toMatchObject({ outcome: 'signed_in' });
  });

  it('too many attempts', async () => {
    await signUp(server, 'eve@example.com', PASSWORD);
    const wrong = () => post('/api/v2/token/', { email: 'eve@example.com', password: 'guess' });
    for (let attempt = 0; attempt < 5; attempt += 1) await fits('signIn', 400, wrong());
    await fits('signIn', 429, wrong());
  });

  it('the user, organizations and projects', async () => {
    const byUser = asks(user);
    await byUser('readUser', 200, 'GET', '/api/v2/user/');
    await fits('readUser', 401, fetch(`${server.url}/api/v2/user/`));
    await byUser('updateUser', 200, 'PUT', '/api/v2/user/', { name: 'Ada' });
    await byUser('listMemberships', 200, 'GET', '/api/v2/user/organizations/');
    await byUser('createOrganization', 201, 'POST', '/api/v2/organizations/', {
      name: 'New one',
      contact_email: 'ada@example.com',
    });
    await byUser('createOrganization', 400, 'POST', '/api/v2/organizations/', {});
    await byUser('createOrganization', 413, 'POST', '/api/v2/organizations/', { name: 'x'.repeat(1_100_000) });
    await byUser('createProject', 201, 'POST', `/api/v2/organizations/${user.organizationId}/projects/`, {
      name: 'P',
      description: '',
    });
    await byUser('createProject', 404, 'POST', `/api/v2/organizations/${user.projectId}/projects/`, {
      name: 'P',
      description: '',
    });
  });

  it('API-01: the settings and the people of an organization', async () => {
    const owner = await server.createUser();
    const [organization, project] = [organizationOf(owner), projectOf(owner)];
    const [byOwner, byUser] = [asks(owner), asks(user)];
    await byOwner('readOrganization', 200, 'GET', organization);
    await byOwner('updateOrganization', 200, 'PUT', organization, {
      name: 'Engines',
      contact_email: 'office@example.com',
    });
    await byUser('updateOrganization', 404, 'PUT', organization, {
      name: 'Engines',
      contact_email: 'office@example.com',
    });
    await byOwner('readDashboard', 200, 'GET', `${organization}dashboard/`);
    const may = { start_date: '2026-05-01', end_date: '2026-05-02' };
    for (const [id, path] of [
      ['readOrganizationCost', `${organization}usage/cost/`],
      ['readOrganizationActivity', `${organization}usage/activity/`],
      ['readProjectCost', `${project}usage/cost/`],
      ['readProjectActivity', `${project}usage/activity/`],
    ] as const) {
      await byOwner(id, 200, 'POST', path, may);
      await byOwner(id, 400, 'POST', path, { ...may, end_date: '2026-04-30' });
      await byUser(id, 404, 'POST', path, may);
    }
    await byOwner('listProjects', 200, 'GET', `${organization}projects/`);
    await byOwner('readProject', 200, 'GET', project);
    await byOwner('readProjectHome', 200, 'GET', `${project}home/`);
    await byUser('readProjectHome', 404, 'GET', `${project}home/`);
    await byOwner('updateProject', 200, 'PUT', project, { name: 'Talks', description: '' });

    const { email } = user;
    const { link } = await byOwner('createInvitation', 201, 'POST', `${organization}invite/`, {
      email,
      role: 'member',
    });
    await byOwner('listInvitations', 200, 'GET', `${organization}invite/`);
    const accept = `/api/v2/organizations${new URL(String(link)).pathname}`;
    await fits('viewInvitation', 200, fetch(server.url + accept));
    await fits('viewInvitation', 404, fetch(`${server.url}/api/v2/organizations/invite/unknown/`));
    await byOwner('acceptInvitation', 400, 'POST', accept);
    await byUser('acceptInvitation', 200, 'POST', accept);
    await fits('viewInvitation', 400, fetch(server.url + accept));
    await byOwner('createInvitation', 400, 'POST', `${organization}invite/`, { email, role: 'member' });
    const { uuid } = await byOwner('createInvitation', 201, 'POST', `${organization}invite/`, {
      email: 'eve@example.com',
      role: 'member',
    });
    await byOwner('revokeInvitation', 204, 'DELETE', `${organization}invite/${String(uuid)}/`);
    await byOwner('revokeInvitation', 404, 'DELETE', `${organization}invite/${String(uuid)}/`);

    await byUser('listMembers', 200, 'GET', `${organization}users/`);
    await byUser('readMember', 200, 'GET', `${organization}users/${owner.userId}/`);
    await byOwner('updateMember', 200, 'PUT', `${organization}users/${user.userId}/`, { role: 'member' });
    await byOwner('updateMember', 400, 'PUT', `${organization}users/${owner.userId}/`, { role: 'member' });
    await byUser('listProjectMembers', 200, 'GET', `${project}users/`);
    await byOwner('removeProjectMember', 204, 'DELETE', `${project}users/`, { user_uuid: user.userId });
    await byOwner('addProjectMember', 201, 'POST', `${project}users/`, { user_uuid: user.userId });
    await byOwner('listAudit', 200, 'GET', `${organization}audit/?limit=2`);
    await byUser('listAudit', 403, 'GET', `${organization}audit/`);
    await byOwner('listAudit', 400, 'GET', `${organization}audit/?cursor=wrong`);

    await byOwner('removeMember', 400, 'DELETE', `${organization}users/${owner.userId}/`);
    await byUser('removeMember', 403, 'DELETE', `${organization}users/${owner.userId}/`);
    await byUser('removeMember', 204, 'DELETE', `${organization}users/${user.userId}/`);
    await byOwner('deleteProject', 204, 'DELETE', project);
    await byOwner('deleteOrganization', 204, 'DELETE', organization);
    await byOwner('readOrganization', 404, 'GET', organization);
  });

  it('API-01: billing and payments', async () => {
    const owner = await server.createUser();
    const billing = `${organizationOf(owner)}billing/`;
    const payment = `${organizationOf(owner)}payment/`;
    const byOwner = asks(owner);
    const autopay = { enabled: false, threshold_micros: 0, amount_micros: 5_000_000 };
    await byOwner('readBillingSettings', 200, 'GET', billing);
    await byOwner('updateBillingSettings', 200, 'PUT', billing, { autopay });
    await byOwner('updateBillingSettings', 400, 'PUT', billing, { autopay: { ...autopay, amount_micros: 1 } });
    await byOwner('updateBillingSettings', 409, 'PUT', billing, { autopay: { ...autopay, enabled: true } });
    const attempt = randomUUID();
    await byOwner('createPayment', 200, 'POST', payment, { attempt, amount_micros: 5_000_000 });
    await byOwner('createPayment', 409, 'POST', payment, { attempt, amount_micros: 6_000_000 });
    await byOwner('setUpPaymentMethod', 200, 'POST', `${payment}setup/`, { attempt: randomUUID() });
    await byOwner('readPaymentStatus', 200, 'GET', `${payment}status/?attempt=${attempt}`);
    await byOwner('readPaymentStatus', 404, 'GET', `${payment}status/?attempt=${randomUUID()}`);
    await byOwner('removePaymentMethod', 200, 'POST', `${payment}remove/`);
    await byOwner('resetPaymentError', 200, 'PUT', `${payment}reset-error/`);
    await byOwner('readBillingOverview', 200, 'GET', `${billing}overview/`);
    await byOwner('readBillingOverview', 400, 'GET', `${billing}overview/?start_date=2026-02-30`);
    const may = { start_date: '2026-05-01', end_date: '2026-05-02' };
    for (const [id, path] of [
      ['readBillingReport', `${billing}reports/`],
      ['readBillingCost', `${billing}cost/`],
    ] as const) {
      await byOwner(id, 200, 'POST', path, may);
      await byOwner(id, 400, 'POST', path, { ...may, end_date: '2026-04-30' });
    }
    const { db } = server.services;
    const { organizationId: organization_id } = owner;
    const entry = { id: randomUUID(), organization_id, amount_micros: 0, balance_after_micros: 0, cause: attempt };
    await db
      .insertInto('ledger_entries')
      .values({ ...entry, kind: 'payment', description: 'Payment', at: server.services.clock() })
      .execute();
    await byOwner('listTransactions', 200, 'GET', `${billing}transactions/?return_total=true`);
    await byOwner('listTransactions', 400, 'GET', `${billing}transactions/?limit=0`);
    await byOwner('createReceiptUrl', 200, 'GET', `${billing}transaction/${entry.id}/receipt-url/`);
    await byOwner('createReceiptUrl', 404, 'GET', `${billing}transaction/${attempt}/receipt-url/`);
    const webhook = `${server.url}/api/v2/stripe/webhook/`;
    await fits('receivePaymentEvent', 404, fetch(webhook, { method: 'POST', body: '{}' }));
    await fits('checkPaymentEvents', 200, fetch(`${webhook}health_check_service_result/`));
  });

  it('API keys', async () => {
    const byUser = asks(user);
    const keys = `/api/v2/projects/${user.projectId}/api-keys/`;
    const made = await byUser('createApiKey', 201, 'POST', keys, { name: 'Import' });
    await byUser('listApiKeys', 200, 'GET', keys);
    const { uuid } = v.parse(ApiKeyCreated, made).api_key;
    await byUser('readApiKey', 200, 'GET', `${keys}${uuid}/`);
    await byUser('readApiKey', 404, 'GET', `${keys}${user.userId}/`);
    await fits(
      'listModels',
      200,
      fetch(`${server.url}/v1/models`, { headers: { authorization: `Bearer ${String(made['key'])}` } }),
    );
    await byUser('revokeApiKey', 404, 'DELETE', `${keys}${user.userId}/`);
    await byUser('revokeApiKey', 204, 'DELETE', `${keys}${uuid}/`);
  });
});

describe('answers of the speech API fit its document', () => {
  const get = (path: string) => call(server, user, 'GET', path);
  const make = (options: object) =>
    call(server, user, 'POST', '/transcriptions', { model: 'stt-async-v5', ...options });

  it('models and temporary keys', async () => {
    await fits('listModels', 200, get('/models'));
    await fits('listModels', 401, fetch(`${server.url}/v1/models`));
    await fits(
      'createTemporaryKey',
      201,
      call(server, user, 'POST', '/auth/temporary-api-key', {
        usage_type: 'transcribe_websocket',
        expires_in_seconds: 60,
      }),
    );
    await fits('createTemporaryKey', 400, call(server, user, 'POST', '/auth/temporary-api-key', {}));
  });

  it('files and transcriptions', async () => {
    const { id } = await fits(
      'uploadFile',
      201,
      upload(server, user, 'RIFF', 'talk.wav', { client_reference_id: 'mine' }),
    );
    await fits('uploadFile', 400, call(server, user, 'POST', '/files', {}));
    await fits('listFiles', 200, get('/files?limit=1'));
    await fits('listFiles', 400, get('/files?cursor=wrong'));
    await fits('listFiles', 400, get('/files?limit=0'));
    await fits('countFiles', 200, get('/files/count'));
    await fits('readFile', 200, get(`/files/${String(id)}`));
    await fits('readFile', 404, get(`/files/${user.userId}`));
    const { url } = await fits('readFileUrl', 200, get(`/files/${String(id)}/url`));
    const download = described('downloadFile').operation;
    for (const [range, status] of [
      ['bytes=0-1', 206],
      ['bytes=99-', 416],
    ] as const) {
      expect((await fetch(String(url), { headers: { range } })).status).toBe(status);
      expect(download.responses).toHaveProperty(String(status));
    }
    await fits('downloadFile', 404, fetch(`${server.url}/v1/files/${String(id)}/download?token=forged`));

    const made = await fits('createTranscription', 201, make({ file_id: id, context: { terms: ['Parlance'] } }));
    const path = `/transcriptions/${String(made['id'])}`;
    await eventually(async () =>
      expect(await fits('readTranscription', 200, get(path))).toMatchObject({ status: 'completed' }),
    );
    await fits('readTranscript', 200, get(`${path}/transcript`));
    await fits('listTranscriptions', 200, get('/transcriptions'));
    await fits('countTranscriptions', 200, get('/transcriptions/count'));
    await fits('createTranscription', 400, make({ model: 'unknown', file_id: id }));
    await fits('createTranscription', 404, make({ file_id: user.userId }));
    await fits('deleteTranscription', 204, call(server, user, 'DELETE', path));
    await fits('deleteTranscription', 404, call(server, user, 'DELETE', path));
    await fits('readTranscript', 404, get(`${path}/transcript`));
    await fits('deleteFile', 204, call(server, user, 'DELETE', `/files/${String(id)}`));
  });

  it('what a transcription used, and what runs now', async () => {
    const { id } = await fits('uploadFile', 201, upload(server, user));
    await fits('createTranscription', 201, make({ file_id: id }));
    const window = new URLSearchParams({
      start_time: new Date(Date.now() - 3_600_000).toISOString(),
      end_time: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await eventually(async () =>
      expect(await fits('listUsageLogs', 200, get(`/usage-logs?${window.toString()}`))).not.toMatchObject({
        usage_logs: [],
      }),
    );
    await fits('listUsageLogs', 400, get('/usage-logs'));
    await fits('readConcurrencyLimits', 200, get('/concurrency-limits'));
  });

  it('webhooks', async () => {
    const { id } = await fits('uploadFile', 201, upload(server, user));
    const made = await fits('createTranscription', 201, make({ file_id: id, webhook_url: hooks.url }));
    await eventually(() => expect(hooks.seen).toHaveLength(1));
    const body: unknown = JSON.parse(String(hooks.seen[0]?.body));
    expect(body).toEqual({ id: made['id'], status: 'completed' });
    const { operation, schemas } = described('transcriptionEnded');
    expect(findings(body, operation.requestBody?.content['application/json']?.schema, schemas)).toEqual([]);
  });

  it('frames of the live socket', async () => {
    const { operation, schemas } = described('transcribeLive');
    const frames = operation['x-websocket']?.server ?? [];
    const frameFits = (frame: unknown, { schema }: Frame): boolean => findings(frame, schema, schemas).length === 0;
    const speak = async (config: object): Promise<unknown[]> => {
      const client = connectLive(server);
      await client.opened;
      client.socket.send(
        JSON.stringify({ model: 'stt-rt-v5', audio_format: 's16le', sample_rate: 16_000, num_channels: 1, ...config }),
      );
      client.socket.send(Buffer.alloc(3200));
      client.socket.send('');
      expect(await client.closed).toBe(1000);
      return client.frames;
    };
    const heard = await speak({ api_key: await liveKey(server, user) });
    expect(heard.length).toBeGreaterThan(1);
    expect(heard.map((frame) => frames.map((one) => frameFits(frame, one)))).toEqual(heard.map(() => [true, false]));
    const refused = await speak({ api_key: 'wrong' });
    expect(refused.map((frame) => frames.map((one) => frameFits(frame, one)))).toEqual([[false, true]]);
    const codes = operation['x-websocket']?.errors ?? {};
    const [{ error_code, error_type } = { error_code: 0, error_type: '' }] = refused.map(Object);
    expect(codes[error_code]).toContain(error_type);
  });
});

describe('the check itself', () => {
  it('sees a field that the document does not name, one that is missing, and one of another type', () => {
    const { schemas } = described('readFile');
    const file = {
      id: user.userId,
      filename: 'a.wav',
      size: 1,
      created_at: '2026-05-04T09:30:00.000Z',
      client_reference_id: null,
    };
    const of = (value: object) => findings(value, { $ref: '#/components/schemas/StoredFile' }, schemas);
    expect(of(file)).toEqual([]);
    expect(of({ ...file, owner: 1 })).toEqual(['$.owner is not documented']);
    expect(of({ ...file, size: '1' })).toEqual(['$.size must be number, is "1"']);
    expect(of({ ...file, id: 'x' })).toEqual(['$.id must be a uuid, is "x"']);
    const { filename: _, ...rest } = file;
    expect(of(rest)).toEqual(['$.filename is missing']);
  });
});
