import type { IncomingMessage } from 'node:http';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { LIVE_KEY_SUBPROTOCOLS, LIVE_PATH } from '#contract/live.ts';
import { bearerOf } from '../../http/bearer.ts';
import { clientOf } from '../../http/client-address.ts';
import { transportHeaders } from '../../http/guards.ts';
import { refuseUpgrade } from '../../http/listen.ts';
import { moreInfoOf } from '../../http/openapi/more-info.ts';
import { StreamMeter } from '../../money/usage/meter.ts';
import type { SpeechServices } from '../services.ts';
import { GateKeeper, type ConnectionKeys } from './gate.ts';
import type { LiveConnection } from './ports.ts';
import { LiveSession } from './session.ts';

/** Longest single frame, bytes. */
const FRAME_MAX = 1 << 20;
/** How long clients may take to answer the close frame when the server stops. */
const GOODBYE_MS = 2000;

/** @returns how many sessions are open, those that still say goodbye among them */
export type SessionCount = () => number;

/** Answers live sessions on {@link LIVE_PATH}, and ends them in good order when the server stops. */
export function attachLiveSocket(services: SpeechServices): SessionCount {
  const { engine, decoder, models, liveLimits: limits, timers: clock, log } = services;
  const moreInfo = moreInfoOf(services);
  const keeper = new GateKeeper(services, services.limitDefaults);
  const sessions = new Map<LiveSession, WebSocket>();
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_MAX,
    perMessageDeflate: false,
    handleProtocols: (offered) => LIVE_KEY_SUBPROTOCOLS.find((name) => offered.has(name)) ?? false,
  });

  server.on('headers', (lines: string[]) =>
    lines.push(...Object.entries(transportHeaders(services)).map(([name, value]) => `${name}: ${value}`)),
  );

  // A handshake that is none; the library's own answer would lack the headers that all others have.
  server.on('wsClientError', (_error, socket) => refuseUpgrade(socket, '400 Bad Request', transportHeaders(services)));

  const serve = (socket: WebSocket, request: IncomingMessage, requestId: string): void => {
    const started = performance.now();
    const meter = new StreamMeter(clock);
    const session = new LiveSession({
      connection: connectionOf(socket),
      gate: keeper.gateFor({
        keys: keysOf(request),
        address: clientOf(request, services.config.trustedProxies).network,
        requestId,
        meter,
        heardMs: () => session.heardMs,
        withdraw: (reason) => session.withdraw(reason),
      }),
      engine: meter.watching(engine),
      openDecoder: decoder.openStream,
      models,
      clock,
      limits,
      requestId,
      moreInfo,
      ended({ status, audioMs, refusal }) {
        const line = {
          request_id: requestId,
          status,
          audio_ms: audioMs,
          ms: Math.round(performance.now() - started),
          ...(refusal && { error_code: refusal.code, error_type: refusal.type }),
        };
        if (refusal && refusal.code === 500) log.error({ ...line, err: refusal.cause }, 'live session');
        else log.info(line, 'live session');
      },
    });
    sessions.set(session, socket);
    socket.on('message', (data, isBinary) => {
      const bytes = bytesOf(data);
      if (isBinary) {
        if (bytes.byteLength > 0) meter.heard();
        session.binary(bytes);
      } else session.text(bytes.toString('utf8'));
    });
    // The close that follows tells the session; a bad or too long frame needs no more than a line.
    socket.on('error', (error) => log.info({ request_id: requestId, err: error }, 'live socket failed'));
    socket.on('close', () => {
      sessions.delete(session);
      session.gone();
    });
  };

  services.upgrades.set(LIVE_PATH, (request, socket, head, requestId) => {
    server.handleUpgrade(request, socket, head, (opened) => serve(opened, request, requestId));
  });
  services.closing.add('sockets', 'live sessions', async () => {
    services.upgrades.delete(LIVE_PATH);
    await goodbye(sessions);
    await keeper.close();
  });
  return () => sessions.size;
}

const bytesOf = (data: RawData): Buffer =>
  Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);

function keysOf(request: IncomingMessage): ConnectionKeys {
  const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  return {
    header: bearerOf(request.headers.authorization),
    subprotocol: LIVE_KEY_SUBPROTOCOLS.includes(protocols[0] ?? '') ? protocols[1] : undefined,
  };
}

function connectionOf(socket: WebSocket): LiveConnection {
  return {
    send(frame, flushed) {
      socket.send(frame, (error) => {
        if (!error) flushed();
      });
    },
    close: (code) => socket.close(code),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    pendingBytes: () => socket.bufferedAmount,
  };
}

/** Tells every client why, and waits for them to hang up, but not for long. */
async function goodbye(sessions: ReadonlyMap<LiveSession, WebSocket>): Promise<void> {
  const all = [...sessions];
  const closed = Promise.all(all.map(([, socket]) => new Promise((resolve) => socket.once('close', resolve))));
  for (const [session] of all) session.shutdown();
  const impatience = setTimeout(() => {
    for (const [, socket] of all) socket.terminate();
  }, GOODBYE_MS);
  await closed;
  clearTimeout(impatience);
}
