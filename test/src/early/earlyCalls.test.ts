import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createEarlyCalls, mainBearer, speechBearer } from '#src/early/calls.ts';
import { firstCalls, verification } from '#src/early/plan.ts';

const CALL = { method: 'get' as const, url: 'https://console.test/api/v2/user/', authorization: mainBearer('a1') };
const OTHER = {
  method: 'get' as const,
  url: 'https://console.test/v1/models',
  authorization: speechBearer('p1', 'a1'),
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal(
    'fetch',
    vi.fn((url: string) => Promise.resolve(new Response(url))),
  );
});

describe('PRF-01: calls that leave with the page', () => {
  it('are made at once, with their own proof, and taken once', async () => {
    const calls = createEarlyCalls();
    calls.begin('a1', [CALL, OTHER]);
    expect(
      vi.mocked(fetch).mock.calls.map(([url, init]) => [url, new Headers(init?.headers).get('authorization')]),
    ).toEqual([
      [CALL.url, 'Bearer a1'],
      [OTHER.url, 'Bearer {"type":"jwt","project_id":"p1","token":"a1"}'],
    ]);
    expect((await calls.take(OTHER))?.text).toBe(OTHER.url);
    expect((await calls.take(CALL))?.text).toBe(CALL.url);
    expect(await calls.take(CALL)).toBeNull();
  });

  it('SES-10: are the verification, too, with the token in its body; a call with another method takes nothing of it', async () => {
    const calls = createEarlyCalls();
    const verify = verification(new URL('https://console.test/org/o1/?a=b'), 'a1');
    calls.begin('a1', [verify]);
    const [[url, init] = []] = vi.mocked(fetch).mock.calls;
    expect([url, init?.method, init?.body]).toEqual([
      'https://console.test/api/v2/token/verify/',
      'post',
      JSON.stringify({ token: 'a1' }),
    ]);
    expect(new Headers(init?.headers).get('authorization')).toBe('Bearer a1');
    expect(calls.take({ ...verify, method: 'get' })).toBeNull();
    expect((await calls.take(verify))?.text).toBe(verify.url);
  });

  it('are made once for a session, and answer no other', async () => {
    const calls = createEarlyCalls();
    calls.begin('a1', [CALL]);
    calls.begin('a1', [CALL]);
    expect(fetch).toHaveBeenCalledTimes(1);
    expect(await calls.take({ ...CALL, authorization: mainBearer('b1') })).toBeNull();
    calls.begin('b1', [OTHER]);
    expect(await calls.take(CALL)).toBeNull();
  });

  it('are dropped by whoever writes, and after ten seconds', async () => {
    const calls = createEarlyCalls();
    calls.begin('a1', [CALL]);
    calls.drop();
    expect(await calls.take(CALL)).toBeNull();
    calls.begin('b1', [CALL, OTHER]);
    vi.advanceTimersByTime(9_999);
    expect(await calls.take(CALL)).not.toBeNull();
    vi.advanceTimersByTime(1);
    expect(await calls.take(OTHER)).toBeNull();
  });

  it('fail for who takes them, and for nobody else', async () => {
    vi.mocked(fetch).mockRejectedValue(new TypeError('offline'));
    const calls = createEarlyCalls();
    calls.begin('a1', [CALL, OTHER]);
    await expect(calls.take(CALL)).rejects.toThrow('offline');
    // It is called anew from now on; what became of the other one is no unhandled rejection.
    expect(calls.take(CALL)).toBeNull();
  });

  it('are those of the address', () => {
    const at = (path: string, speech = '') =>
      firstCalls(new URL(path, 'https://console.test'), speech, 'a1').map(({ url }) => url);
    const everywhere = ['https://console.test/api/v2/user/', 'https://console.test/api/v2/user/organizations/'];
    expect(at('/org/o1/projects/p1/api-keys/')).toEqual(everywhere);
    expect(at('/org/o1/projects/p1/playground/speech-to-text/f1', 'https://speech.test/')).toEqual([
      ...everywhere,
      'https://speech.test/v1/models',
      'https://speech.test/v1/files?limit=50',
      'https://speech.test/v1/transcriptions?limit=50',
    ]);
  });
});
