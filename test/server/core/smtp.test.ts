import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { startTestServer } from '../harness.ts';
import { publicCall } from './browser.ts';

/** As much of a mail server as one letter needs. */
async function mailbox(): Promise<{ port: number; lines: string[]; close: () => void }> {
  const lines: string[] = [];
  const server = createServer((socket) => {
    let inLetter = false;
    const say = (line: string): void => { socket.write(`${line}\r\n`); };
    say('220 test ESMTP');
    socket.on('error', () => undefined);
    createInterface({ input: socket }).on('line', (line) => {
      lines.push(line);
      if (inLetter) {
        if (line !== '.') return;
        inLetter = false;
        return say('250 taken');
      }
      if (line === 'DATA') {
        inLetter = true;
        return say('354 go on');
      }
      if (line === 'QUIT') return void socket.end('221 bye\r\n');
      say('250 ok');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { port: address !== null && typeof address === 'object' ? address.port : 0, lines, close: () => server.close() };
}

describe('mail server', { timeout: 60_000 }, () => {
  it('ACC-02: with SMTP_URL the activation mail leaves by SMTP, and none stays behind', async () => {
    const post = await mailbox();
    const server = await startTestServer({ env: { SMTP_URL: `smtp://127.0.0.1:${post.port}`, PUBLIC_URL: 'http://console.localhost', SUPPORT_EMAIL: 'help@example.com' } });
    try {
      expect((await publicCall(server, 'PUT', '/api/v2/signup/verify-email/', { email: 'new@example.com' })).status).toBe(200);
      expect(post.lines).toContain('RCPT TO:<new@example.com>');
      expect(post.lines).toContain('MAIL FROM:<help@example.com>');
      const letter = post.lines.join('\n').replaceAll('=\n', '').replaceAll('=3D', '=');
      expect(letter).toMatch(/http:\/\/console\.localhost\/signup\/[\w-]{43}\//);
      expect(letter).toContain('text/html');
      expect(await server.services.db.selectFrom('outbox').selectAll().execute()).toEqual([]);
    } finally {
      await server.close();
      post.close();
    }
  });
});
