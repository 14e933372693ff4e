import { describe, expect, it, vi } from 'vitest';
import { createActor, toPromise } from 'xstate';
import { readFile as readFileRow, readFileUrl } from '#contract/api/speech.ts';
import { CallError } from '#machines/shared/failure.ts';
import type { UploadEvent } from '#machines/playground/upload/actors.ts';
import { createUploadFile } from '#src/effects/http/uploadFile.ts';
import { playgroundActors } from '#src/effects/provide/playground.ts';
import { storedFile } from '../../../machines/playground-fixtures.ts';
import { refusal } from '../../answering-server.ts';
import { FALLBACK, SUPPORT_EMAIL } from '../../apis.ts';
import { noted } from '../../noted.ts';

const FILE = storedFile({ id: '7d2b8a10-6f1c-4f0e-9a57-0d6b2f4f7a12' });
const authorization = { headers: { authorization: 'Bearer {}' }, access: 'acc' };

/** What the upload uses of an XMLHttpRequest; the test plays the server. */
class FakeRequest {
  upload: { onprogress?: (event: object) => void } = {};
  onload?: () => void;
  onerror?: () => void;
  ontimeout?: () => void;
  status = 0;
  responseText = '';
  open = vi.fn();
  setRequestHeader = vi.fn();
  send = vi.fn<(body: FormData) => void>();
  abort = vi.fn();
  getResponseHeader = () => 'req-1';
  answer(status: number, body: unknown) {
    this.status = status;
    this.responseText = typeof body === 'string' ? body : JSON.stringify(body);
    this.onload?.();
  }
}

function upload(authorize = () => Promise.resolve(authorization)) {
  const request = new FakeRequest();
  const onUnauthorized = vi.fn();
  const onMissing = vi.fn();
  const uploadFile = createUploadFile({
    baseUrl: 'https://speech.example.com',
    supportEmail: SUPPORT_EMAIL,
    authorize,
    onUnauthorized,
    onMissing,
    createRequest: () => request as unknown as XMLHttpRequest,
  });
  const { said, stop } = noted<UploadEvent>(uploadFile, { file: new File(['abcd'], 'a.wav'), projectUuid: 'p' });
  return { request, said, stop, onUnauthorized, onMissing };
}

/** One whose request is on its way. */
async function uploading() {
  const begun = upload();
  await vi.waitFor(() => expect(begun.request.send).toHaveBeenCalledOnce());
  return begun;
}

describe('the upload', () => {
  it('API-03, UPL-01: sends one multipart field `file` with progress, and gives the stored file', async () => {
    const { request, said } = await uploading();
    expect(request.open).toHaveBeenCalledExactlyOnceWith('POST', 'https://speech.example.com/v1/files');
    expect(request.setRequestHeader).toHaveBeenCalledExactlyOnceWith('authorization', 'Bearer {}');
    const field = request.send.mock.calls[0]?.[0].get('file');
    expect(field instanceof File && [field.name, field.size]).toEqual(['a.wav', 4]);
    request.upload.onprogress?.({ loaded: 100, total: 200, lengthComputable: true });
    request.answer(201, FILE);
    expect(said).toEqual([
      { type: 'upload.progressed', sentBytes: 100, totalBytes: 200 },
      { type: 'upload.succeeded', file: FILE },
    ]);
  });

  it('UPL-01: measures by the file itself where the length of the request is unknown', async () => {
    const { request, said } = await uploading();
    request.upload.onprogress?.({ loaded: 3, total: 0, lengthComputable: false });
    expect(said).toEqual([{ type: 'upload.progressed', sentBytes: 3, totalBytes: 4 }]);
  });

  it.each([
    [404, 1],
    [400, 0],
    [500, 0],
  ])('CON-04: tells that its place may be gone where it is answered %i', async (status, times) => {
    const { request, said, onMissing } = await uploading();
    request.answer(status, refusal('No such project.', { status_code: status }));
    expect(onMissing).toHaveBeenCalledTimes(times);
    expect(said).toMatchObject([{ type: 'upload.failed', failure: { status } }]);
  });

  it.each([413, 429, 500])('UPL-02: a refusal of %i without a text still tells its request', async (status) => {
    const { request, said } = await uploading();
    request.answer(status, '');
    expect(said).toMatchObject([{ failure: { kind: 'HTTP', status, requestId: 'req-1', message: FALLBACK } }]);
  });

  it('API-03, UPL-01: ending the actor aborts the request and says nothing more', async () => {
    const { request, said, stop } = await uploading();
    stop();
    expect(request.abort).toHaveBeenCalledOnce();
    request.onerror?.();
    expect(said).toEqual([]);
  });

  it('UPL-02: a request that cannot even begin has failed', async () => {
    const { request, said } = upload();
    request.open.mockImplementation(() => {
      throw new SyntaxError('This is no address.');
    });
    await vi.waitFor(() =>
      expect(said).toEqual([{ type: 'upload.failed', failure: { kind: 'OTHER', message: 'This is no address.' } }]),
    );
  });

  it("UPL-02: a refusal carries the server's text", async () => {
    const { request, said } = await uploading();
    const more = { status_code: 413, error_type: 'file_too_large', request_id: 'req-2' };
    request.answer(413, refusal('File is <b>too</b> large.', more));
    const told = { message: 'File is too large.', errorType: 'file_too_large', requestId: 'req-2' };
    expect(said).toEqual([{ type: 'upload.failed', failure: { kind: 'HTTP', status: 413, ...told } }]);
  });

  it.each<[string, (request: FakeRequest) => void, object]>([
    ['no answer', (request) => request.onerror?.(), { kind: 'FETCH_ERROR', message: FALLBACK }],
    ['a time-out', (request) => request.ontimeout?.(), { kind: 'TIMEOUT_ERROR' }],
    ['an unfit answer', (request) => request.answer(200, '<html>'), { kind: 'PARSING_ERROR', status: 200 }],
  ])('ERR-02: %s has its kind', async (_, happens, failure) => {
    const { request, said } = await uploading();
    happens(request);
    expect(said).toMatchObject([{ type: 'upload.failed', failure }]);
  });

  it('SES-06: a 401 is told to the session', async () => {
    const { request, onUnauthorized } = await uploading();
    request.answer(401, '');
    expect(onUnauthorized).toHaveBeenCalledExactlyOnceWith('acc', 401);
  });

  it('ERR-03: fails without sending where there is no session', async () => {
    const failure = { kind: 'OTHER', message: 'Not logged in (missing jwt)' } as const;
    const { said, request } = upload(() => Promise.reject(new CallError(failure)));
    await vi.waitFor(() => expect(said).toEqual([{ type: 'upload.failed', failure }]));
    expect(request.send).not.toHaveBeenCalled();
  });
});

it.each([
  [null, [readFileRow.path, readFileUrl.path]],
  [FILE, [readFileUrl.path]],
])('UPL-03 ASY-02: of a file that is known only its address is read: %j', async (known, asked) => {
  const called: string[] = [];
  const call = async ({ path }: { path: string }) => {
    called.push(path);
    return path === readFileRow.path ? FILE : { url: '/f1' };
  };
  const { readFile } = playgroundActors(call as never, {
    maxUploadBytes: 0,
    addresses: () => ({ speech: '', socket: '' }),
  });
  const reading = createActor(readFile, { input: { fileId: FILE.id, file: known } }).start();
  expect(await toPromise(reading)).toEqual({ file: FILE, url: '/f1' });
  expect(called).toEqual(asked);
});
