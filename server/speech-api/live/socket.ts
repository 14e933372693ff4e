import type { IncomingMessage } from 'node:http';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { LIVE_KEY_SUBPROTOCOLS, LIVE_PATH } from '#contract/live.ts';
import { bearerOf } from '../../http/bearer.ts';
import { countRefusal } from '../../http/errors.ts';
import { clientOf } from '../../http/client-address.ts';
import { transportHeaders } from '../../http/guards.ts';
import { refuseUpgrade } from '../../http/listen.ts';
import { within } from '../../platform/in-time.ts';
import { moreInfoOf } from '../../http/openapi/more-info.ts';
import { boundTo, TRACEPARENT_HEADER } from '../../platform/telemetry/work.ts';
import { StreamMeter } from '../../money/usage/meter.ts';
import type { SpeechServices } from '../services.ts';
import { StartFrame } from './start-frame.ts';
import type { ConnectionKeys } from './connection-keys.ts';
import { GateKeeper, type WatchedGate } from './gate.ts';
import type { LiveConnection } from './ports.ts';
import type { LiveRefusal } from './refusal.ts';
import { LiveSession } from './session.ts';

/** Longest frame, bytes. */
const FRAME_MAX = 1 << 20;
/** How long a stopping server waits for clients to answer the close frame. */
const GOODBYE_MS = 2000;

/** @returns the number of open sessions, including those that are closing */
export type SessionCount = () => number;

/** Serves live sessions on {@link LIVE_PATH}, and ends them in order when the server stops. */
export function attachLiveSocket(services: SpeechServices): SessionCount {
  const { engine, decoder, models, liveLimits: limits, timers: clock, log, meters, tracer } = services;
  const moreInfo = moreInfoOf(services);
  const keeper = new GateKeeper(services);
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

  // Answers a malformed handshake. The library's own answer would lack the transport headers.
  server.on('wsClientError', (_error, socket) => refuseUpgrade(socket, '400 Bad Request', transportHeaders(services)));

  const serve = (socket: WebSocket, request: IncomingMessage, requestId: string): void => {
    const started = performance.now();
    const traceparent = tracer.isOn ? [request.headers[TRACEPARENT_HEADER]].flat()[0] : undefined;
    const span = tracer.start('live session', 'server', { requestId, traceparent });
    const meter = new StreamMeter(clock);
    const start = new StartFrame();
    const gate = keeper.gateFor({
      keys: keysOf(request),
      address: clientOf(request, services.config.trustedProxies).network,
      requestId,
      meter,
      heardMs: () => session.heardMs,
      asked: () => start.asked,
      withdraw: (reason) => session.withdraw(reason),
    });
    const session = new LiveSession({
      connection: connectionOf(socket),
      gate,
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
        span.end({
          failed: refusal && refusal.code >= 500 ? refusal.type : undefined,
          attributes: { 'live.end': status, 'live.audio_ms': audioMs },
        });
        meters.count('parlance_live_sessions_total', { end: status, error: refusal?.type ?? 'none' });
        if (refusal?.limit !== undefined || refusal?.code === 429) countRefusal(meters, refusal.limit);
        if (refusal) noteRefusal(services, { requestId, gate, start, refusal });
        if (refusal && refusal.code === 500) log.error({ ...line, err: refusal.cause }, 'live session');
        else log.info(line, 'live session');
      },
    });
    sessions.set(session, socket);
    // The socket's callbacks run outside of the asynchronous context of the request; `boundTo` restores it.
    const { work } = span;
    socket.on(
      'message',
      boundTo(work, (data: RawData, isBinary: boolean) => {
        const bytes = bytesOf(data);
        if (isBinary) {
          if (bytes.byteLength > 0) meter.noteAudio();
          session.binary(bytes);
        } else {
          const frame = bytes.toString('utf8');
          start.take(frame);
          session.text(frame);
        }
      }),
    );
    // A bad or too long frame. Only logged: the `close` event that follows ends the session.
    socket.on('error', (error) => log.info({ request_id: requestId, err: error }, 'live socket failed'));
    socket.on(
      'close',
      boundTo(work, () => {
        sessions.delete(session);
        session.gone();
      }),
    );
  };

  let isDraining = false;
  // A balancer tries another process if this one refuses the handshake; once it is accepted, it cannot.
  const isFull = (): boolean => {
    const { ready, streams, maxStreams } = engine.info();
    return services.database.kind === 'postgres' && (!ready || streams >= maxStreams);
  };
  if (services.config.role !== 'worker')
    services.upgrades.set(LIVE_PATH, (request, socket, head, requestId) => {
      if (isDraining || isFull()) {
        meters.count('parlance_live_handshakes_refused_total', { reason: isDraining ? 'stopping' : 'full' });
        return refuseUpgrade(socket, '503 Service Unavailable', { ...transportHeaders(services), 'retry-after': '1' });
      }
      server.handleUpgrade(request, socket, head, (opened) => serve(opened, request, requestId));
    });
  services.closing.add('drain', 'live sessions end', async () => {
    isDraining = true;
    await within(services.config.drainSeconds * 1000, ended(sessions));
  });
  services.closing.add('sockets', 'live sessions', async () => {
    isDraining = true;
    await goodbye(sessions);
    await keeper.close();
  });
  return () => sessions.size;
}

/** Notes a session that was refused before it had a place, for the logs. */
function noteRefusal(
  { refusedLog }: SpeechServices,
  {
    requestId,
    gate,
    start,
    refusal,
  }: { requestId: string; gate: WatchedGate; start: StartFrame; refusal: LiveRefusal },
): void {
  const { code, type, message } = refusal;
  const { apiKey, model, clientReferenceId, asked } = start;
  void gate.refusedCaller(apiKey).then((caller) => {
    if (caller)
      refusedLog.note({ requestId, caller, kind: 'real_time', model, clientReferenceId, asked, code, type, message });
  });
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

/** Resolves when the connections of these sessions are closed. */
const ended = (sessions: ReadonlyMap<LiveSession, WebSocket>): Promise<unknown> =>
  Promise.all([...sessions.values()].map((socket) => new Promise((resolve) => socket.once('close', resolve))));

/** Ends each session with an error frame, waits {@link GOODBYE_MS} for the connections to close, and cuts the rest. */
async function goodbye(sessions: ReadonlyMap<LiveSession, WebSocket>): Promise<void> {
  const all = new Map(sessions);
  const closed = ended(all);
  for (const session of all.keys()) session.shutdown();
  if (await within(GOODBYE_MS, closed)) return;
  for (const socket of all.values()) socket.terminate();
  await closed;
}
