import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a server of somebody else was asked. */
export interface Seen {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface OtherServer {
  url: string;
  port: number;
  seen: Seen[];
  close(): Promise<void>;
}

/** A server of somebody else on loopback; it keeps what it is asked and answers as told. */
export async function startOther(answer: (seen: Seen, response: ServerResponse) => void): Promise<OtherServer> {
  const seen: Seen[] = [];
  const listener: RequestListener = (request, response) => {
    void text(request).then((body) => {
      const one = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
      seen.push(one);
      answer(one, response);
    });
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const onLoopback = (address: string): boolean => address === '127.0.0.1';
