import * as v from 'valibot';
import WebSocket, { type RawData } from 'ws';
import { LiveFrame, type LiveConfig } from '#contract/live.ts';
import type { Clock } from '../../platform/clock.ts';
import { workInHeaders } from '../../platform/telemetry/work.ts';
import type { EngineError, StreamEvents, StreamOptions, SttStream } from '../port.ts';
import type { UpstreamErrors } from './errors.ts';

const HANDSHAKE_TIMEOUT_MS = 10_000;
/** The upstream ends streams that are silent for 20 s. */
const KEEPALIVE_MS = 5000;
/** The stream fails if the caller has to wait for so long because the upstream reads no audio. */
const STALL_MS = 30_000;
/** How much audio may be on its way before the caller has to pause. */
const PENDING_MAX_SECONDS = 2;
const FRAME_MAX_BYTES = 8 << 20;

interface LiveStreamParts {
  streamingUrl: string;
  key: string;
  model: string;
  errors: UpstreamErrors;
  clock: Clock;
  /** Called once, when the stream is closed. */
  closed(): void;
}

type Timer = 'keepalive' | 'stall';
const Frame = v.pipe(v.string(), v.parseJson(), LiveFrame);

/** A live stream at the upstream, over one socket that is never reopened. Messages wait until it is open. */
export class UpstreamStream implements SttStream {
  readonly #parts: LiveStreamParts;
  readonly #events: StreamEvents;
  readonly #socket: WebSocket;
  readonly #pendingMax: number;
  readonly #timers = new Map<Timer, () => void>();
  #early: (Uint8Array | string)[];
  #earlyBytes = 0;
  #waiting: (() => void)[] = [];
  #state: 'open' | 'ending' | 'closed' = 'open';
  #finalMs = 0;
  #totalMs = 0;

  constructor(parts: LiveStreamParts, options: StreamOptions, events: StreamEvents) {
    this.#parts = parts;
    this.#events = events;
    this.#pendingMax = PENDING_MAX_SECONDS * options.sampleRate * options.channels * 2;
    this.#early = [JSON.stringify(startRequest(parts.model, options))];
    this.#socket = this.#connect();
  }

  write(pcm: Uint8Array): boolean {
    // Skip empty frames. Copy the bytes, because the caller may reuse them.
    if (this.#state === 'open' && pcm.length > 0) this.#send(Uint8Array.from(pcm));
    const room = this.#pending() <= this.#pendingMax || this.#state === 'closed';
    if (!room && !this.#timers.has('stall')) this.#arm('stall', STALL_MS, () => this.#fail(this.#parts.errors.lost()));
    return room;
  }

  drained(): Promise<void> {
    if (this.#hasRoom()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  finalize(trailingSilenceMs?: number): void {
    if (this.#state === 'open')
      this.#send(
        JSON.stringify({
          type: 'finalize',
          ...(trailingSilenceMs !== undefined && { trailing_silence_ms: trailingSilenceMs }),
        }),
      );
  }

  end(): void {
    if (this.#state !== 'open') return;
    this.#send('');
    this.#state = 'ending';
    this.#disarm('keepalive');
  }

  abort(): void {
    this.#close();
  }

  /** Ends the stream with an error. */
  fail(error: EngineError): void {
    this.#fail(error);
  }

  #connect(): WebSocket {
    const { streamingUrl, key, errors } = this.#parts;
    const socket = new WebSocket(streamingUrl, {
      headers: { authorization: `Bearer ${key}`, ...workInHeaders() },
      followRedirects: false,
      perMessageDeflate: false,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: FRAME_MAX_BYTES,
    });
    socket.on('open', () => this.#opened());
    socket.on('message', (data, isBinary) => this.#message(data, isBinary));
    socket.on('unexpected-response', (_request, response) => {
      this.#fail(errors.refused(response.statusCode ?? 0));
      response.destroy();
    });
    socket.on('error', () => this.#fail(this.#early.length > 0 ? errors.unreachable() : errors.lost()));
    socket.on('close', () => this.#fail(this.#early.length > 0 ? errors.unreachable() : errors.lost()));
    return socket;
  }

  #opened(): void {
    if (this.#state === 'closed') return;
    const early = this.#early;
    this.#early = [];
    this.#earlyBytes = 0;
    for (const message of early) this.#send(message);
  }

  #send(message: Uint8Array | string): void {
    if (this.#early.length > 0) {
      this.#early.push(message);
      this.#earlyBytes += message.length;
      return;
    }
    this.#socket.send(message, () => this.#flushed());
    if (this.#state === 'open') this.#arm('keepalive', KEEPALIVE_MS, () => this.#send('{"type":"keepalive"}'));
  }

  #flushed(): void {
    if (!this.#hasRoom()) return;
    this.#disarm('stall');
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #message(data: RawData, isBinary: boolean): void {
    if (this.#state === 'closed') return;
    const read = isBinary ? undefined : v.safeParse(Frame, textOf(data));
    if (read?.success !== true) return this.#fail(this.#parts.errors.strange());
    const frame = read.output;
    if ('error_message' in frame)
      return this.#fail(
        this.#parts.errors.refused(frame.error_code ?? 500, {
          type: frame.error_type,
          message: frame.error_message,
          reason: frame.reason,
          hasEndedStream: true,
        }),
      );
    this.#finalMs = Math.max(this.#finalMs, frame.final_audio_proc_ms ?? 0);
    this.#totalMs = Math.max(this.#totalMs, this.#finalMs, frame.total_audio_proc_ms ?? 0);
    const finished = frame.finished === true;
    if (finished) this.#close(true);
    this.#events.result({ tokens: frame.tokens, finalAudioMs: this.#finalMs, totalAudioMs: this.#totalMs, finished });
  }

  #fail(error: EngineError): void {
    if (this.#state === 'closed') return;
    this.#close();
    this.#events.error(error);
  }

  #close(politely = false): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#early = [];
    if (politely) this.#socket.close();
    else this.#socket.terminate();
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.#parts.closed();
  }

  #pending(): number {
    return this.#earlyBytes + this.#socket.bufferedAmount;
  }

  #hasRoom(): boolean {
    return this.#state === 'closed' || this.#pending() <= this.#pendingMax / 2;
  }

  #arm(timer: Timer, ms: number, run: () => void): void {
    this.#disarm(timer);
    this.#timers.set(timer, this.#parts.clock.after(ms, run));
  }

  #disarm(timer: Timer): void {
    this.#timers.get(timer)?.();
    this.#timers.delete(timer);
  }
}

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data)).toString('utf8');

function startRequest(model: string, options: StreamOptions): LiveConfig & Record<string, unknown> {
  return {
    model,
    audio_format: 'pcm_s16le',
    sample_rate: options.sampleRate,
    num_channels: options.channels,
    enable_endpoint_detection: options.endpointDetection ?? false,
    enable_speaker_diarization: options.diarization ?? false,
    enable_language_identification: options.languageIdentification ?? false,
    ...(options.maxEndpointDelayMs !== undefined && { max_endpoint_delay_ms: options.maxEndpointDelayMs }),
    ...(options.languageHints && { language_hints: [...options.languageHints] }),
    ...(options.languageHintsStrict !== undefined && { language_hints_strict: options.languageHintsStrict }),
    ...(options.context !== undefined && { context: options.context }),
    ...(options.translation && { translation: options.translation }),
  };
}
