import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Asked = { method: string; path: string; headers: IncomingHttpHeaders; body: string };
export type Reply = { status?: number; body?: unknown; headers?: Record<string, string> } | 'hang' | 'cut';

/** A real HTTP server that notes what it is asked and answers as told; closed when the test ends. */
export async function answeringServer(answer: (asked: Asked) => Reply | Promise<Reply>) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(parts).toString(),
      };
      asked.push(one);
      void Promise.resolve(answer(one)).then((reply) => {
        if (reply === 'hang') return;
        if (reply === 'cut') {
          request.socket.destroy();
          return;
        }
        const { status = 200, body = {}, headers = {} } = reply;
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, asked };
}

/** A body of the server's refusals. */
export const refusal = (message: string, more: object = {}) => ({
  status_code: 400,
  error_type: 'invalid_request',
  message,
  validation_errors: [],
  request_id: 'req-1',
  ...more,
});
