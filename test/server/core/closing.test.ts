import { request, type ClientRequest } from 'node:http';
import { Closing } from '#server/platform/closing.ts';
import { createLog } from '#server/platform/log.ts';
import { CSRF_COOKIE, CSRF_HEADER } from '#contract/session.ts';
import { describe, expect, it } from 'vitest';
import { startTestServer } from '../harness.ts';
import { CSRF } from './browser.ts';

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
