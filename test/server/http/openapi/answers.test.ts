import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Frame } from '#server/http/openapi/document.ts';
import { startIdp, type Idp } from '#test/idp.ts';
import { activationToken, bearerCall, linkToken, publicCall, signUp } from '../../browser.ts';
import { SsoBrowser, visit } from '../../identity/sso-visit.ts';
import { organizationOf } from '../../people.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { call, liveKey, startSpeechServer, upload, type SpeechServer } from '../../speech-api/harness.ts';
import { begin } from '../../speech-api/live/live-client.ts';
import { onLoopback, startOther, type OtherServer } from '../../outgoing-servers.ts';
import { readDocuments, type Documented } from './documented.ts';
import { findings } from './json-schema.ts';
import { NEXT_PASSWORD, PASSWORD } from '#test/passwords.ts';

let server: SpeechServer;
let user: TestUser;
let hooks: OtherServer;
let idp: Idp;
let documented: Documented;
beforeAll(async () => {
  hooks = await startOther((_seen, response) => response.writeHead(204).end());
  idp = await startIdp({ accounts: [{ sub: 'new', email: 'newcomer@example.com', email_verified: true }] });
  server = await startSpeechServer({
    engine: { auto: true },
    outgoing: { allow: onLoopback },
    server: { env: idp.settings },
  });
  user = await server.createUser();
  documented = await readDocuments(server.url);
});
afterAll(async () => {
  await server.close();
  await hooks.close();
  await idp.close();
});

/** Holds an answer against the document, and expects its status. */
async function fits(id: string, status: number, asked: Promise<Response>): Promise<Record<string, unknown>> {
  const answer = await asked;
  const text = answer.status === status ? '' : await answer.clone().text();
  expect({ id, status: answer.status, text }).toEqual({ id, status, text });
  return documented.fits(id, answer);
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

  it('API-01: what brings people into an organization, and what keeps them in it', async () => {
    const owner = await server.createUser();
    const organization = organizationOf(owner);
    const [byOwner, byUser] = [asks(owner), asks(user)];
    const guest = { email: user.email, role: 'member' };
    const { link } = await byOwner('createInvitation', 201, 'POST', `${organization}invite/`, guest);
    const accept = `/api/v2/organizations${new URL(String(link)).pathname}`;
    await fits('viewInvitation', 200, fetch(server.url + accept));
    await byOwner('acceptInvitation', 400, 'POST', accept);
    await byUser('acceptInvitation', 200, 'POST', accept);
    await fits('viewInvitation', 400, fetch(server.url + accept));
    await byOwner('createInvitation', 400, 'POST', `${organization}invite/`, guest);
    const themselves = `${organization}users/${owner.userId}/`;
    await byOwner('updateMember', 400, 'PUT', themselves, { role: 'member' });
    await byOwner('removeMember', 400, 'DELETE', themselves);
    await byUser('removeMember', 403, 'DELETE', themselves);
    await byOwner('listAudit', 400, 'GET', `${organization}audit/?cursor=wrong`);
    await byOwner('createOrganization', 413, 'POST', '/api/v2/organizations/', { name: 'x'.repeat(1_100_000) });
  });

  it('API-01: payments', async () => {
    const owner = await server.createUser();
    const billing = `${organizationOf(owner)}billing/`;
    const payment = `${organizationOf(owner)}payment/`;
    const byOwner = asks(owner);
    const autopay = { enabled: true, threshold_micros: 0, amount_micros: 5_000_000 };
    await byOwner('updateBillingSettings', 409, 'PUT', billing, { autopay });
    const attempt = randomUUID();
    await byOwner('createPayment', 200, 'POST', payment, { attempt, amount_micros: 5_000_000 });
    await byOwner('createPayment', 409, 'POST', payment, { attempt, amount_micros: 6_000_000 });
    await byOwner('readPaymentStatus', 200, 'GET', `${payment}status/?attempt=${attempt}`);
    await byOwner('readPaymentStatus', 404, 'GET', `${payment}status/?attempt=${randomUUID()}`);
    await byOwner('listTransactions', 200, 'GET', `${billing}transactions/?return_total=true`);
  });
});

describe('answers of the speech API fit its document', () => {
  const get = (path: string) => call(server, user, 'GET', path);
  const make = (options: object) =>
    call(server, user, 'POST', '/transcriptions', { model: 'stt-async-v5', ...options });

  it('files, transcriptions and what they used', async () => {
    const { id } = await fits(
      'uploadFile',
      201,
      upload(server, user, 'RIFF', 'talk.wav', { client_reference_id: 'mine' }),
    );
    await fits('uploadFile', 400, call(server, user, 'POST', '/files', {}));
    await fits('listFiles', 400, get('/files?cursor=wrong'));
    const { url } = await fits('readFileUrl', 200, get(`/files/${String(id)}/url`));
    const download = documented.described('downloadFile').operation;
    for (const [range, status] of [
      ['bytes=0-1', 206],
      ['bytes=99-', 416],
    ] as const) {
      expect((await fetch(String(url), { headers: { range } })).status).toBe(status);
      expect(download.responses).toHaveProperty(String(status));
    }
    await fits('createTranscription', 400, make({ model: 'unknown', file_id: id }));
    const made = await fits('createTranscription', 201, make({ file_id: id, context: { terms: ['Parlance'] } }));
    const path = `/transcriptions/${String(made['id'])}`;
    await eventually(async () =>
      expect(await fits('readTranscription', 200, get(path))).toMatchObject({ status: 'completed' }),
    );
    await fits('readTranscript', 200, get(`${path}/transcript`));
    await fits('listTranscriptions', 200, get('/transcriptions'));
    const window = new URLSearchParams({
      start_time: new Date(Date.now() - 3_600_000).toISOString(),
      end_time: new Date(Date.now() + 3_600_000).toISOString(),
    });
    expect(await fits('listUsageLogs', 200, get(`/usage-logs?${window.toString()}`))).not.toMatchObject({
      usage_logs: [],
    });
  });

  it('webhooks', async () => {
    const { id } = await fits('uploadFile', 201, upload(server, user));
    const made = await fits('createTranscription', 201, make({ file_id: id, webhook_url: hooks.url }));
    await eventually(() => expect(hooks.seen).toHaveLength(1));
    const body: unknown = JSON.parse(String(hooks.seen[0]?.body));
    expect(body).toEqual({ id: made['id'], status: 'completed' });
    const { operation, schemas } = documented.described('transcriptionEnded');
    expect(findings(body, operation.requestBody?.content['application/json']?.schema, schemas)).toEqual([]);
  });

  it('frames of the live socket', async () => {
    const { operation, schemas } = documented.described('transcribeLive');
    const frames = operation['x-websocket']?.server ?? [];
    const frameFits = (frame: unknown, { schema }: Frame): boolean => findings(frame, schema, schemas).length === 0;
    const speak = async (config: object): Promise<unknown[]> => {
      const client = await begin(server, config);
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
