/** A reverse proxy on a free port, as one is set up without a thought: it passes requests on, and changes nothing but the Host. */
import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Proxy {
  url: string;
  close(): Promise<void>;
}

/** @param rewrite what it does to the headers; by default Host becomes the upstream's, as nginx has it */
export async function startProxy(
  upstream: string,
  rewrite: (headers: IncomingHttpHeaders, peer: string) => IncomingHttpHeaders = (headers) => headers,
): Promise<Proxy> {
  const server = createServer((incoming, outgoing) => {
    const headers = rewrite({ ...incoming.headers, host: new URL(upstream).host }, incoming.socket.remoteAddress ?? '');
    const passed = request(upstream + (incoming.url ?? '/'), { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a TCP server that listens.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What X-Forwarded-For becomes at a proxy that appends the peer it saw. */
export const appendPeer = (headers: IncomingHttpHeaders, peer: string): IncomingHttpHeaders => ({
  ...headers,
  'x-forwarded-for': [headers['x-forwarded-for'] ?? [], peer].flat().join(', '),
});
