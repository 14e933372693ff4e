import { request, type ClientRequest } from 'node:http';
import { Closing, type ClosePhase } from '#server/platform/closing.ts';
import { createLog } from '#server/platform/log.ts';
import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import { describe, expect, it } from 'vitest';
import { startTestServer } from '../harness.ts';
import { CSRF } from '../browser.ts';
import { keptLog } from '../log-lines.ts';

describe('closing', { timeout: 60_000 }, () => {
  it('goes phase by phase, once, and past a step that fails', async () => {
    const closing = new Closing(createLog('silent'));
    const order: string[] = [];
    closing.add('database', 'database', () => {
      order.push('database');
    });
    closing.add('http', 'http', async () => {
      order.push('http');
    });
    closing.add('jobs', 'jobs', () => {
      throw new Error('on purpose');
    });
    closing.add('sockets', 'sockets', async () => {
      order.push('sockets');
    });
    await Promise.all([closing.run(), closing.run()]);
    expect(order).toEqual(['sockets', 'http', 'database']);
  });

  it('OPS-53: a step that takes too long is left behind, and the last two are waited for a while whatever came before', async () => {
    const { log, lines } = keptLog();
    const closing = new Closing(log, { drainMs: 20, closeMs: 50, lastMs: 40 });
    const order: string[] = [];
    const step = (phase: ClosePhase, close: () => Promise<void> = () => Promise.resolve()): void =>
      closing.add(phase, `the ${phase}`, (leftMs) => {
        order.push(`${phase} ${closing.isDraining} ${leftMs <= 50 ? leftMs > 5 : leftMs}`);
        return close();
      });
    const never = (): Promise<void> => new Promise(() => {});
    step('notice');
    step('drain', never);
    step('sockets');
    step('http', never);
    step('jobs', never);
    step('engine', never);
    step('database');
    await closing.run({ drain: true });
    expect(order).toEqual([
      'notice false Infinity',
      'drain true true',
      'sockets true true',
      'http true true',
      'jobs true false',
      'engine true true',
      'database true true',
    ]);
    expect(lines.map(({ level, step: name }) => [level, name])).toEqual([
      [30, 'the drain'],
      [50, 'the http'],
      [50, 'the jobs'],
      [50, 'the engine'],
    ]);
  });

  it('OPS-53: a drain that ends early leaves the rest of its time to running requests', async () => {
    const closing = new Closing(createLog('silent'), { drainMs: 60_000, closeMs: 50 });
    let left = 0;
    closing.add('drain', 'drain', () => {});
    closing.add('http', 'http', (leftMs) => {
      left = leftMs;
    });
    await closing.run({ drain: true });
    expect(left).toBeGreaterThan(50_000);
  });

  it('lets a running request finish with its database, and takes no new ones', async () => {
    const server = await startTestServer();
    const body = JSON.stringify({ email: 'a@example.com', password: 'b' });
    let call: ClientRequest | undefined;
    const answer = new Promise<string>((resolve, reject) => {
      call = request(
        `${server.url}/api/v2/token/`,
        {
          method: 'POST',
          headers: { cookie: `${CSRF_COOKIE}=${CSRF}`, [CSRF_HEADER]: CSRF, 'content-length': body.length },
        },
        (response) => {
          let text = '';
          response
            .setEncoding('utf8')
            .on('data', (chunk: string) => {
              text += chunk;
            })
            .on('end', () => resolve(text));
        },
      ).on('error', reject);
    });
    await new Promise((resolve) => call?.write(body.slice(0, 10), resolve));
    // The health check below shows that the server has taken the connection before it: both are served in turn.
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    const closed = server.close();
    await expect
      .poll(
        () =>
          fetch(`${server.url}/healthz`).then(
            () => 'open',
            () => 'closed',
          ),
        { timeout: 10_000 },
      )
      .toBe('closed');
    call?.end(body.slice(10));
    expect(JSON.parse(await answer)).toMatchObject({ error_type: 'invalid_credentials' });
    await closed;
  });
});
