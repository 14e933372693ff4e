import { describe, expect, it, vi } from 'vitest';
import { createOrganization } from '#contract/api/organizations.ts';
import { listApiKeys } from '#contract/api/projects.ts';
import { signIn } from '#contract/api/sessions.ts';
import { deleteFile, listFiles, listModels } from '#contract/api/speech.ts';
import { readUser } from '#contract/api/user.ts';
import { type Failure, toFailure } from '#machines/shared/failure.ts';
import { pageAt } from '#src/effects/http/pages.ts';
import { answeringServer, refusal, type Asked, type Reply } from '../../answering-server.ts';
import { apisAt, FALLBACK, PAIR } from '../../apis.ts';

const PROJECT = '3f2b8a10-6f1c-4f0e-9a57-0d6b2f4f7a11';
const FILE = '7d2b8a10-6f1c-4f0e-9a57-0d6b2f4f7a12';
const CREDENTIALS = { json: { email: 'a@b.c', password: 'secret' } };
const PLACE = { json: { name: 'Ab', contact_email: 'a@b.c' } };

async function setUp(answer: (asked: Asked) => Reply | Promise<Reply>, setting: Parameters<typeof apisAt>[1] = {}) {
  const { origin, asked } = await answeringServer(answer);
  return { asked, ...apisAt(origin, setting) };
}

async function failureOf(call: Promise<unknown>): Promise<Failure> {
  return call.then(
    () => expect.fail('The call should have failed.'),
    (error: unknown) => toFailure(error),
  );
}

describe('a stale CSRF token', () => {
  const refusing = async (refusals: number, error_type = 'csrf_failed') => {
    let token = 'stale';
    let left = refusals;
    const { call, own, asked } = await setUp(
      () => (left-- > 0 ? { status: 400, body: refusal('Out of date.', { error_type }) } : { body: PAIR }),
      { signedIn: false, csrfToken: () => token, renewCsrf: () => void (token = 'fresh') },
    );
    return { call, own, asked, sent: () => asked.map(({ headers }) => headers['x-csrftoken']) };
  };

  type Apis = Awaited<ReturnType<typeof refusing>>;
  it.each([
    ['signing in', ({ call }: Apis) => call(signIn, CREDENTIALS)],
    ['the session', ({ own }: Apis) => own.refresh('ref')],
  ])('CON-07 is renewed and the call repeated, as it was, for %s', async (_, ask) => {
    const { asked, sent, ...apis } = await refusing(1);
    await expect(ask({ asked, sent, ...apis })).resolves.toEqual(PAIR);
    expect(sent()).toEqual(['stale', 'fresh']);
    expect(asked[1]?.body).toBe(asked[0]?.body);
  });

  it('CON-07 the call is repeated once, never twice, and only for that refusal', async () => {
    const twice = await refusing(2);
    expect(await failureOf(twice.call(signIn, CREDENTIALS))).toMatchObject({
      status: 400,
      errorType: 'csrf_failed',
    });
    expect(twice.sent()).toEqual(['stale', 'fresh']);
    const other = await refusing(1, 'invalid_credentials');
    expect(await failureOf(other.call(signIn, CREDENTIALS))).toMatchObject({
      errorType: 'invalid_credentials',
    });
    expect(other.sent()).toEqual(['stale']);
  });
});

describe('calls of the main API', () => {
  it('SES-02: carry the CSRF header and no token before login', async () => {
    const { call, asked } = await setUp(() => ({ body: PAIR }), { signedIn: false });
    await expect(call(signIn, CREDENTIALS)).resolves.toEqual(PAIR);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      path: '/api/v2/token/',
      body: '{"email":"a@b.c","password":"secret"}',
    });
    expect(asked[0]?.headers['x-csrftoken']).toBe('csrf-1');
    expect(asked[0]?.headers.authorization).toBeUndefined();
    const without = await setUp(() => ({ body: PAIR }), { signedIn: false, csrfToken: () => null });
    await without.call(signIn, CREDENTIALS);
    expect(without.asked[0]?.headers).not.toHaveProperty('x-csrftoken');
  });

  it('SES-03: carry Bearer and the access token after login', async () => {
    const { call, asked } = await setUp(() => ({
      body: { uuid: PROJECT, email: 'a@b.c', name: '', has_password: true },
    }));
    await call(readUser, {});
    expect(asked[0]).toMatchObject({ method: 'GET', path: '/api/v2/user/' });
    expect(asked[0]?.headers.authorization).toBe('Bearer acc');
    expect(asked[0]?.headers['x-page-id']).toBe('page-1');
  });

  it.each([401, 403])('SES-06: tell the session of a %i with the token that was used', async (status) => {
    const { call, session } = await setUp(() => ({ status, body: refusal('No.') }));
    expect(await failureOf(call(readUser, {}))).toMatchObject({ kind: 'HTTP', status, message: 'No.' });
    expect(session.refused).toHaveBeenCalledExactlyOnceWith('acc', status);
  });

  it("SES-06: a refusal before login or of the session's own calls ends nothing", async () => {
    const before = await setUp(() => ({ status: 401, body: refusal('Wrong password.') }), { signedIn: false });
    expect(await failureOf(before.call(signIn, CREDENTIALS))).toMatchObject({
      message: 'Wrong password.',
    });
    expect(before.session.refused).not.toHaveBeenCalled();
    const own = await setUp(() => ({ status: 401, body: refusal('Expired.') }));
    await failureOf(own.own.verify('acc'));
    await failureOf(own.own.refresh('ref'));
    expect(own.session.refused).not.toHaveBeenCalled();
    expect(own.asked[1]?.headers.authorization).toBeUndefined();
  });

  it.each([
    [404, true, 1],
    [400, true, 0],
    [500, true, 0],
    [404, false, 0],
  ])(
    'CON-04: an answer of %i, signed in: %s, tells %i times that its place may be gone',
    async (status, signedIn, times) => {
      const onMissing = vi.fn();
      const { call } = await setUp(() => ({ status, body: refusal('Not found.') }), { signedIn, onMissing });
      expect(await failureOf(call(listApiKeys, { params: { project: PROJECT } }))).toMatchObject({
        message: 'Not found.',
      });
      expect(onMissing).toHaveBeenCalledTimes(times);
    },
  );

  it.each([
    [{ name: 'stored_bytes', of: 'project' }, { limit: { name: 'stored_bytes', of: 'project' } }],
    [{ name: 'balance', of: 'organization' }, { limit: { name: 'balance', of: 'organization' } }],
    ['10 a second', {}],
    [{ name: 'moonlight', of: 'organization' }, {}],
    [undefined, {}],
  ])(
    'EST-07 API-05: the limit %j of a refusal is kept where it is known, and costs nothing else',
    async (limit, kept) => {
      const { call } = await setUp(() => ({ status: 429, body: { ...refusal('Full.'), limit } }));
      expect(await failureOf(call(readUser, {}))).toEqual({
        kind: 'HTTP',
        status: 429,
        message: 'Full.',
        errorType: 'invalid_request',
        requestId: 'req-1',
        ...kept,
      });
    },
  );

  it('ERR-02: HTTP failures carry text, slug, request id and the fields that are wrong', async () => {
    const validation_errors = [{ error_type: 'too_short', location: 'body.name', message: "Name can't be empty." }];
    const { call } = await setUp(() => ({ status: 400, body: refusal('Invalid.', { validation_errors }) }));
    expect(await failureOf(call(createOrganization, PLACE))).toEqual({
      kind: 'HTTP',
      status: 400,
      message: "Name can't be empty.",
      errorType: 'invalid_request',
      requestId: 'req-1',
      problems: [{ location: 'body.name', message: "Name can't be empty." }],
    });
  });

  it('ERR-02: 200–299 is success, whatever the exact status', async () => {
    const { call } = await setUp(() => ({ status: 201, body: { organization: { uuid: PROJECT } } }));
    await expect(call(createOrganization, PLACE)).resolves.toEqual({
      organization: { uuid: PROJECT },
    });
    const beyond = await setUp(() => ({ status: 300, body: { organization: { uuid: PROJECT } } }));
    expect(await failureOf(beyond.call(createOrganization, PLACE))).toMatchObject({
      kind: 'HTTP',
      status: 300,
    });
  });

  it('ERR-02: nothing times out by itself', async () => {
    const { call } = await setUp(() => 'hang');
    // The first call fetches what sends.
    await failureOf(call(readUser, { signal: AbortSignal.abort() }));
    vi.useFakeTimers();
    const called = vi.fn<typeof fetch>(() => new Promise(() => undefined));
    vi.stubGlobal('fetch', called);
    const settled = vi.fn();
    void call(readUser, {}).then(settled, settled);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(called).toHaveBeenCalledOnce();
    expect(settled).not.toHaveBeenCalled();
  });

  it('ERR-02: no answer is a FETCH_ERROR, also when it breaks off', async () => {
    const { call } = await setUp(() => 'cut');
    expect(await failureOf(call(readUser, {}))).toEqual({ kind: 'FETCH_ERROR', message: FALLBACK });
  });

  it('ERR-02: a signal that times out is a TIMEOUT_ERROR to whoever did not ask for it', async () => {
    const { call } = await setUp(() => 'hang');
    const late = new DOMException('late', 'TimeoutError');
    vi.stubGlobal('fetch', () => Promise.reject(late));
    expect(await failureOf(call(readUser, {}))).toEqual({ kind: 'TIMEOUT_ERROR', message: FALLBACK });
  });

  it.each([
    ['no JSON', '<html>'],
    ['JSON of another shape', { mail: 'a@b.c' }],
  ])('API-05, ERR-02: an answer that is %s is a PARSING_ERROR', async (_, body) => {
    const { call } = await setUp(() => ({ body, headers: { 'x-request-id': 'req-2' } }));
    expect(await failureOf(call(readUser, {}))).toEqual({
      kind: 'PARSING_ERROR',
      status: 200,
      message: FALLBACK,
      requestId: 'req-2',
    });
  });

  it('ERR-02: a refusal without JSON keeps its status', async () => {
    const { call } = await setUp(() => ({ status: 502, body: '<h1>Bad gateway</h1>' }));
    expect(await failureOf(call(readUser, {}))).toEqual({ kind: 'PARSING_ERROR', status: 502, message: FALLBACK });
  });

  it('CON-15, ERR-02: what fails before anything is sent is not taken for a server that does not answer', async () => {
    const { call, session, asked } = await setUp(() => ({ body: {} }));
    session.tokens = () => Promise.reject(new Error('The session is gone.'));
    expect(await failureOf(call(readUser, {}))).toEqual({ kind: 'OTHER', message: FALLBACK });
    expect(asked).toEqual([]);
  });

  it('CON-15: an answer of any status is no FETCH_ERROR, also one that says that it is too late', async () => {
    for (const status of [408, 500, 502, 503, 504]) {
      const { call } = await setUp(() => ({ status, body: refusal('Later.') }));
      expect(await failureOf(call(readUser, {}))).toMatchObject({ kind: 'HTTP', status, message: 'Later.' });
    }
  });

  it('passes an abort through', async () => {
    const stop = new AbortController();
    const { call } = await setUp(() => {
      stop.abort(new Error('left the screen'));
      return 'hang';
    });
    await expect(call(readUser, { signal: stop.signal })).rejects.toThrow('left the screen');
  });
});

describe('calls of the speech API', () => {
  const path = `/org/o/projects/${PROJECT}/playground/speech-to-text/`;

  it('API-02: carry the JSON-wrapped token with the project of the path', async () => {
    const { speech, asked } = await setUp(() => ({ body: { models: [] } }), { path });
    await speech.call(listModels, {});
    expect(asked[0]?.path).toBe('/v1/models');
    const authorization = asked[0]?.headers.authorization ?? '';
    expect(JSON.parse(authorization.replace(/^Bearer /, ''))).toEqual({
      type: 'jwt',
      project_id: PROJECT,
      token: 'acc',
    });
  });

  it('API-02: go to the address of the page settings where there is one', async () => {
    const other = await answeringServer(() => ({ body: { models: [] } }));
    const { speech } = apisAt('https://console.example.com', { path, speechBaseUrl: `${other.origin}/speech/` });
    await speech.call(listModels, {});
    expect(other.asked[0]?.path).toBe('/speech/v1/models');
  });

  it('ERR-03: outside a project and without login they are thrown, not sent', async () => {
    const outside = await setUp(() => ({ body: { models: [] } }), { path: '/user/' });
    expect(await failureOf(outside.speech.call(listModels, {}))).toMatchObject({
      message: 'Project ID not in current path',
    });
    const signedOut = await setUp(() => ({ body: { models: [] } }), { path, signedIn: false });
    expect(await failureOf(signedOut.speech.call(listModels, {}))).toMatchObject({
      message: 'Not logged in (missing jwt)',
    });
    expect([...outside.asked, ...signedOut.asked]).toEqual([]);
  });

  it('API-03, LIB-01: lists take limit and cursor', async () => {
    const { speech, asked } = await setUp(() => ({ body: { files: [], next_page_cursor: null } }), { path });
    await speech.call(listFiles, { query: pageAt(null) });
    await speech.call(listFiles, { query: pageAt('c+1') });
    expect(asked.map((one) => one.path)).toEqual(['/v1/files?limit=50', '/v1/files?limit=50&cursor=c%2B1']);
  });

  it('deletes with an empty answer, and asks for a key of one short use', async () => {
    const { speech, asked } = await setUp(
      (one) =>
        one.method === 'DELETE'
          ? { status: 204, body: '' }
          : { status: 201, body: { api_key: 'temp', expires_at: '2026-01-01T00:00:00Z' } },
      { path },
    );
    await speech.call(deleteFile, { params: { id: FILE } });
    await expect(speech.temporaryKey()).resolves.toBe('temp');
    expect(asked[0]).toMatchObject({ method: 'DELETE', path: `/v1/files/${FILE}` });
    expect(JSON.parse(asked[1]?.body ?? '')).toEqual({
      usage_type: 'transcribe_websocket',
      expires_in_seconds: 60,
      single_use: true,
    });
  });

  it('SES-06 CON-04: a 403 ends the session too, and a 404 tells that the project may be gone', async () => {
    const onMissing = vi.fn();
    const refused = await setUp(() => ({ status: 403, body: refusal('No.') }), { path, onMissing });
    await failureOf(refused.speech.call(listModels, {}));
    expect(refused.session.refused).toHaveBeenCalledExactlyOnceWith('acc', 403);
    expect(onMissing).not.toHaveBeenCalled();
    const missing = await setUp(() => ({ status: 404, body: refusal('Not found.') }), { path, onMissing });
    await failureOf(missing.speech.call(listModels, {}));
    expect(onMissing).toHaveBeenCalledOnce();
  });
});
