import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createNetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Services } from '../platform/context.ts';
import { asPartOf } from '../platform/telemetry/work.ts';
import type { AppEnv } from './env.ts';
import { clientOf } from './client-address.ts';
import { isHostAllowed, transportHeaders } from './guards.ts';
import { requestIdOf } from './request-id.ts';

/** Running requests are cut this long before the time to close is over, so that the other parts can still end. */
const AFTER_REQUESTS_MS = 1000;
/** Longer than balancers keep connections (a minute): they must close first, or lose a request to a closing one. */
const KEEP_ALIVE_MS = 75_000;
/** Longest time to receive one request: the largest upload at about 300 kB/s. */
const RECEIVE_MS = 3_600_000;

/** Gets requests before the app. Answers one, or calls `next`. */
export type Before = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

export interface Listening {
  server: Server;
  port: number;
}

/** Handlers of requests and upgrades. Separate from the server, because in development the app needs the server. */
export interface Wiring {
  app: Hono<AppEnv>;
  before?: Before;
  foreignUpgrade?: (path: string) => boolean;
}

/** Sends requests of the HTTP server to the app, and WebSocket handshakes to `services.upgrades`. */
export function wire(services: Services, server: Server, { app, before, foreignUpgrade }: Wiring): Server {
  server.requestTimeout = RECEIVE_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = KEEP_ALIVE_MS + 1000;
  const listener = getRequestListener(app.fetch);
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    // The client's next request needs a new connection, which a balancer leads to another server.
    if (services.closing.begun) response.setHeader('connection', 'close');
    void listener(request, response);
  };
  server.on(
    'request',
    before === undefined ? answer : (request, response) => before(request, response, () => answer(request, response)),
  );
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = (request.url ?? '/').split('?')[0]?.replace(/(.)\/+$/, '$1') ?? '/';
    if (foreignUpgrade?.(path) === true) return;
    socket.on('error', () => socket.destroy());
    const refuse = (status: string): void => refuseUpgrade(socket, status, transportHeaders(services));
    if (!isHostAllowed(services, request.headers.host)) return refuse('421 Misdirected Request');
    const handler = services.upgrades.get(path);
    if (handler === undefined) return refuse('404 Not Found');
    const requestId = requestIdOf(request, services.config);
    services.log.info(
      {
        request_id: requestId,
        client: clientOf(request, services.config.trustedProxies).address,
        method: 'UPGRADE',
        route: path,
      },
      'request',
    );
    asPartOf({ requestId }, () => handler(request, socket, head, requestId));
  });
  return server;
}

/** A server for an app. */
export function createHttpServer(services: Services, app: Hono<AppEnv>): Server {
  return wire(services, createServer(), { app });
}

/** Answers a handshake with a status, and closes the socket, which the HTTP server no longer manages. */
export function refuseUpgrade(socket: Duplex, status: string, headers: Readonly<Record<string, string>>): void {
  const lines = Object.entries({ ...headers, connection: 'close', 'content-length': '0' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  // Also if the peer keeps its side open.
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`);
}

/** Checks that the port is free before anything slow starts. @throws the system's error, e.g. EADDRINUSE */
export async function probePort({ host, port }: { host: string; port: number }): Promise<void> {
  const probe = createNetServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

/** Listens, and registers how the server closes. @throws the system's error, e.g. EADDRINUSE */
export async function listen(services: Services, server: Server): Promise<Listening> {
  const { host, port } = services.config;
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  const actual = address !== null && typeof address === 'object' ? address.port : port;
  services.listening(actual);
  const { drainNoticeSeconds } = services.config;
  services.closing.add('notice', 'notice to the balancer', () => wait(drainNoticeSeconds * 1000));
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= new Promise((resolve) => server.close(() => resolve())));
  services.closing.add('drain', 'http server takes nothing more', () => void close());
  services.closing.add('http', 'http server', (leftMs) =>
    drain({ server, connections }, close(), Math.max(0, leftMs - AFTER_REQUESTS_MS)),
  );
  return { server, port: actual };
}

/** Closes idle connections, and after `patienceMs` the busy ones. The server must no longer accept new ones. */
async function drain(
  { server, connections }: { server: Server; connections: ReadonlySet<Socket> },
  closed: Promise<void>,
  patienceMs: number,
): Promise<void> {
  const closeIdle = (): void => {
    server.closeIdleConnections();
    // Browsers keep such connections ready; Node takes them for busy.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  };
  closeIdle();
  // Repeated, because a connection becomes idle when its request ends.
  const idle = setInterval(closeIdle, 100);
  const impatience = setTimeout(() => server.closeAllConnections(), patienceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(impatience);
}
