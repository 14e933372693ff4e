/** A way to an HTTP server on which a test decides what befalls each request. */
import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Fault =
  /** The connection is closed; a request is not passed on. */
  | 'cut'
  /** It is taken, and nothing comes of it. */
  | 'stall'
  /** It is passed on and done, but its answer gets lost. */
  | 'lose'
  /** An answer of the service that it cannot. */
  | { status: number; code: string }
  /** The answer breaks off, or stops to come, after so many bytes. */
  | { breakAfter: number }
  | { stallAfter: number };

export interface FaultyWay {
  url: string;
  /** Asked about each request; undefined: it passes. */
  fault: (request: { method: string; url: string }) => Fault | undefined;
  /** Requests so far, as `METHOD /path?query`. */
  readonly seen: string[];
  close(): Promise<void>;
}

export async function startFaultyWay(to: string): Promise<FaultyWay> {
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    way.seen.push(`${method} ${url}`);
    const fault = way.fault({ method, url });
    if (fault === 'cut') return void request.socket.destroy();
    if (fault === 'stall') return void request.resume();
    if (typeof fault === 'object' && 'status' in fault) return refuse(request, response, fault);
    const onwards = ask(to + url, { method, headers: request.headers, setHost: false, agent: false }, (answer) => {
      if (fault === 'lose') return void request.socket.destroy();
      response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
      if (fault === undefined) return void answer.pipe(response);
      const isCut = 'breakAfter' in fault;
      let left = isCut ? fault.breakAfter : fault.stallAfter;
      answer.on('data', (chunk: Buffer) => {
        if (left > 0) response.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0 && isCut) response.destroy();
      });
    });
    // A server that refuses a body answers, and hangs up before all of it came.
    onwards.on('error', () => {
      if (!response.headersSent) request.socket.destroy();
    });
    request.pipe(onwards);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a TCP server that listens.
  const { port } = server.address() as AddressInfo;
  const way: FaultyWay = {
    url: `http://127.0.0.1:${port}`,
    fault: () => undefined,
    seen: [],
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return way;
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, code }: { status: number; code: string },
): void {
  request.resume().once('end', () => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>Not now.</Message></Error>`);
  });
}
