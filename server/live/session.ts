import { CLOSE_NORMAL, type LiveConfig, type LiveResult } from '#contract/live.ts';
import type { Catalogue } from '../models/catalogue.ts';
import { EngineError, type SttEngine, type SttStream, type StreamResult } from '../speech/port.ts';
import type { Clock } from './clock.ts';
import { readText, type TextInput } from './control.ts';
import type { LiveLimits } from './limits.ts';
import { LiveRefusal, refusal } from './refusal.ts';
import { checkStartRequest, readStartRequest, type StartRequest } from './start-request.ts';

/** The connection as a session needs it. */
export interface LiveConnection {
  /** `flushed` is called when the frame has left this process, or never if the connection breaks. */
  send(frame: string, flushed: () => void): void;
  /** Sends a close frame after everything sent before. */
  close(code: number): void;
  /** Stops and restarts reading, so that the client is slowed down and nothing is dropped. */
  pause(): void;
  resume(): void;
  /** Bytes sent that wait for the client. */
  pendingBytes(): number;
}

type SessionStatus = 'completed' | 'failed' | 'aborted';

/** How a session went, once it is over. */
export interface SessionSummary {
  status: SessionStatus;
  audioMs: number;
  refusal: LiveRefusal | null;
}

/** Who may stream, and the place that was taken for it. */
export interface Admission {
  /** A key's own bound on the length of the stream, or null. */
  maxDurationMs: number | null;
  /** Gives the place back and writes down how it went. Called once. */
  release(summary: SessionSummary): void;
}

/** One connection's way to be admitted. */
export interface Gate {
  /** Checks the key of the connection or of the start request. @throws LiveRefusal */
  authenticate(config: LiveConfig): Promise<{ admit(request: StartRequest): Promise<Admission> }>;
}

export interface SessionParts {
  connection: LiveConnection;
  gate: Gate;
  engine: SttEngine;
  models: Catalogue;
  clock: Clock;
  limits: LiveLimits;
  requestId: string;
  /** Called once, when nothing more will be sent. */
  ended(summary: SessionSummary): void;
}

type Input = Exclude<TextInput, { kind: 'keepalive' }>;
type Timer = 'start' | 'idle' | 'duration' | 'key' | 'finish' | 'reader';

/**
 * One live session: start request, audio and control messages in order, results, `finished`, close (speech API §4).
 * It knows no socket, no database and no clock of its own. Inputs wait in order until the engine can take them;
 * the client is slowed down where the engine or the client's own reading is behind.
 */
export class LiveSession {
  readonly #parts: SessionParts;
  readonly #timers = new Map<Timer, () => void>();
  readonly #queue: Input[] = [];
  #queuedBytes = 0;
  #phase: 'waiting' | 'opening' | 'streaming' | 'finishing' | 'over' = 'waiting';
  #request: StartRequest | null = null;
  #admission: Admission | null = null;
  #stream: SttStream | null = null;
  #engineBehind = false;
  #readerBehind = false;
  #paused = false;
  #heardAudio = false;
  #endRequested = false;
  #audioBytes = 0;
  #summary: SessionSummary | null = null;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#arm('start', parts.limits.startTimeoutMs, refusal.startTimeout);
  }

  /** A text frame came in. */
  text(frame: string): void {
    this.#guarded(() => {
      if (this.#phase === 'over' || this.#endRequested) return;
      if (this.#phase === 'waiting') return this.#begin(readStartRequest(frame));
      const input = readText(frame);
      this.#touch();
      if (input.kind !== 'keepalive') this.#take(input);
    });
  }

  /** A binary frame came in. An empty one is an empty piece of audio, not the end. */
  binary(bytes: Uint8Array): void {
    this.#guarded(() => {
      if (this.#phase === 'over' || this.#endRequested) return;
      if (this.#phase === 'waiting') throw refusal.invalid('Start request must be a text message.');
      this.#touch();
      if (bytes.byteLength > 0) this.#take({ kind: 'audio', bytes });
    });
  }

  /** The connection is gone, whoever closed it. */
  gone(): void {
    this.#over({ status: 'aborted', refusal: null });
  }

  /** Whoever admitted it takes the place back. */
  withdraw(reason: LiveRefusal): void {
    this.#fail(reason);
  }

  /** The server is about to stop. */
  shutdown(): void {
    this.#fail(refusal.cannotContinue(1));
  }

  #begin(config: LiveConfig): void {
    this.#disarm('start');
    this.#phase = 'opening';
    this.#open(config).catch((error: unknown) => this.#fail(error));
  }

  async #open(config: LiveConfig): Promise<void> {
    const { gate, models, engine, limits } = this.#parts;
    const caller = await gate.authenticate(config);
    const request = checkStartRequest(config, models);
    const admission = await caller.admit(request);
    this.#request = request;
    this.#admission = admission;
    // The client may have left, or the server begun to stop, in the meantime.
    if (this.#summary) return admission.release(this.#summary);
    this.#arm('duration', limits.maxDurationMs, refusal.tooLong);
    if (admission.maxDurationMs !== null) this.#arm('key', admission.maxDurationMs, refusal.keySessionOver);
    this.#touch();
    await engine.ready();
    if (this.#summary) return;
    this.#stream = engine.openStream(request.stream, { result: (result) => this.#result(result), error: (error) => this.#fail(error) });
    this.#phase = 'streaming';
    this.#pump();
  }

  #take(input: Input): void {
    if (input.kind === 'audio') {
      this.#heardAudio = true;
      this.#queuedBytes += input.bytes.byteLength;
    }
    if (input.kind === 'end') {
      this.#endRequested = true;
      this.#disarm('idle');
    }
    this.#queue.push(input);
    this.#pump();
  }

  /** Hands inputs on in order, as far as the engine takes them. */
  #pump(): void {
    while (this.#stream && this.#phase === 'streaming' && !this.#engineBehind) {
      const input = this.#queue.shift();
      if (!input) break;
      if (input.kind === 'audio') this.#write(this.#stream, input.bytes);
      else if (input.kind === 'finalize') this.#stream.finalize();
      else {
        this.#phase = 'finishing';
        this.#disarm('duration');
        this.#disarm('key');
        this.#arm('finish', this.#parts.limits.finishTimeoutMs, () => refusal.cannotContinue(2));
        this.#stream.end();
      }
    }
    this.#regulate();
  }

  #write(stream: SttStream, bytes: Uint8Array): void {
    this.#queuedBytes -= bytes.byteLength;
    this.#audioBytes += bytes.byteLength;
    if (this.#audioMs() > this.#parts.limits.maxDurationMs) return this.#fail(refusal.tooLong());
    if (stream.write(bytes)) return;
    this.#engineBehind = true;
    stream.drained().then(
      () => {
        this.#engineBehind = false;
        this.#guarded(() => this.#pump());
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #result(result: StreamResult): void {
    if (this.#phase === 'over') return;
    const progress = { final_audio_proc_ms: result.finalAudioMs, total_audio_proc_ms: result.totalAudioMs };
    if (!result.finished || result.tokens.length > 0) this.#send({ tokens: result.tokens, ...progress });
    if (!result.finished) return;
    this.#send({ tokens: [], ...progress, finished: true });
    this.#over({ status: 'completed', refusal: null });
    this.#parts.connection.close(CLOSE_NORMAL);
  }

  #send(message: LiveResult): void {
    this.#parts.connection.send(JSON.stringify(message), () => this.#regulate());
    this.#regulate();
  }

  /** Reads from the client only while the engine and the client's own reading keep up. */
  #regulate(): void {
    if (this.#phase === 'over') return;
    const { connection, limits } = this.#parts;
    const readerBehind = connection.pendingBytes() >= limits.outgoingBytes;
    if (readerBehind && !this.#readerBehind) this.#arm('reader', limits.slowReaderTimeoutMs, refusal.slowReader);
    if (!readerBehind) this.#disarm('reader');
    this.#readerBehind = readerBehind;
    const pause = readerBehind || this.#engineBehind || this.#queuedBytes >= limits.incomingBytes;
    if (pause === this.#paused) return;
    this.#paused = pause;
    if (pause) {
      // A client that is not listened to cannot be idle.
      this.#disarm('idle');
      connection.pause();
    } else {
      connection.resume();
      this.#touch();
    }
  }

  #touch(): void {
    if (this.#paused || this.#endRequested || !this.#admission) return;
    this.#arm('idle', this.#parts.limits.idleTimeoutMs, () => (this.#heardAudio ? refusal.idle() : refusal.noFirstAudio()));
  }

  #audioMs(): number {
    return this.#request ? Math.round((this.#audioBytes * 1000) / this.#request.bytesPerSecond) : 0;
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Tells the client why, then closes; the first reason counts. */
  #fail(error: unknown): void {
    if (this.#phase === 'over') return;
    const reason = toRefusal(error);
    const { connection, requestId } = this.#parts;
    this.#over({ status: 'failed', refusal: reason });
    connection.send(JSON.stringify({ tokens: [], error_code: reason.code, error_type: reason.type, error_message: reason.message, request_id: requestId }), () => {});
    connection.close(CLOSE_NORMAL);
  }

  #over(how: Omit<SessionSummary, 'audioMs'>): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#queue.length = 0;
    if (how.status !== 'completed') this.#stream?.abort();
    // A paused connection would never see the client's answer to the close frame.
    if (this.#paused) this.#parts.connection.resume();
    this.#summary = { ...how, audioMs: this.#audioMs() };
    this.#admission?.release(this.#summary);
    this.#parts.ended(this.#summary);
  }

  #arm(timer: Timer, ms: number, reason: () => LiveRefusal): void {
    this.#disarm(timer);
    this.#timers.set(timer, this.#parts.clock.after(ms, () => this.#fail(reason())));
  }

  #disarm(timer: Timer): void {
    this.#timers.get(timer)?.();
    this.#timers.delete(timer);
  }
}

function toRefusal(error: unknown): LiveRefusal {
  if (error instanceof LiveRefusal) return error;
  if (!(error instanceof EngineError)) return refusal.failed(error);
  switch (error.code) {
    case 'overloaded':
      return refusal.overloaded();
    case 'not_ready':
    case 'model_missing':
      return refusal.unavailable();
    case 'invalid_audio':
    case 'unsupported_format':
      return refusal.invalid('Audio decode error');
    case 'audio_too_long':
      return refusal.tooLong();
    case 'worker_crashed':
    case 'aborted':
      return refusal.cannotContinue(3);
  }
}
