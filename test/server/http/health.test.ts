import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Readiness } from '#server/platform/readiness.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { keptLog } from '../log-lines.ts';

describe('health', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  it('answers on both health addresses, with and without slash', async () => {
    for (const path of ['/healthz', '/readyz', '/readyz/']) {
      const answer = await fetch(server.url + path);
      expect([path, answer.status, await answer.json()]).toEqual([path, 200, { ok: true }]);
    }
  });
});

describe('OPS-51 readiness', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
  afterEach(() => vi.useRealTimers());

  /** The log's lines of a part that is there or not, look after look, `everyMs` apart. */
  async function linesOf(there: boolean[], everyMs: number): Promise<unknown[]> {
    const { log, lines } = keptLog();
    const readiness = new Readiness(log);
    const answers = there.values();
    readiness.add('tea', 'No tea.', () =>
      answers.next().value ? Promise.resolve() : Promise.reject(new Error('empty')),
    );
    for (const _ of there) {
      await readiness.lacking();
      vi.advanceTimersByTime(everyMs);
    }
    return lines;
  }

  it('logs what goes and comes once each, and not what has not come yet', async () => {
    expect(await linesOf([false, false, true, true, false, false, true], 1100)).toMatchObject([
      { level: 40, msg: 'not ready', lack: 'No tea.', err: { message: 'empty' } },
      { level: 30, msg: 'ready again', lack: 'No tea.' },
    ]);
  });

  it('asks its parts once a second at most', async () => {
    expect(await linesOf([true, false], 900)).toEqual([]);
  });
});

it('OPS-51 a server is not ready without the storage of the recordings, and logs no fault of a request for it', async () => {
  const { log, lines } = keptLog();
  const server = await startTestServer({ overrides: { log } });
  await rm(join(server.dataDir, 'installation-id'));
  const answer = await fetch(`${server.url}/readyz`);
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { message: 'The storage of the recordings does not answer.' },
  ]);
  // Probes come several times a second, and are answered as they should be.
  expect(lines).toContainEqual(expect.objectContaining({ level: 30, msg: 'request', route: '/readyz', status: 503 }));
  await server.close();
});
