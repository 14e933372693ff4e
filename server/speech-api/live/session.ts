import { CLOSE_NORMAL, type LiveConfig, type LiveFailure, type LiveResult } from '#contract/live.ts';
import type { SttStream, StreamResult } from '../../engine/port.ts';
import { openAudioPath, type AudioPath } from './audio-path.ts';
import { checkBinary, readText } from './control.ts';
import { InputQueue, type Input } from './input-queue.ts';
import { audioMsOf, bytesOfMs } from './pcm-formats.ts';
import type { Admission, SessionParts, SessionSummary } from './ports.ts';
import { failureOf, refusal, refusalOf, type LiveRefusal } from './refusal.ts';
import { ReservedStream } from './reserved-stream.ts';
import { checkStartRequest, readStartRequest, type StartRequest } from './start-request.ts';
import { Timers } from './timers.ts';

/** The marker that answers a finalize. */
const FINALIZED = '<fin>';

type Timer = 'start' | 'idle' | 'duration' | 'key' | 'finish' | 'reader' | 'slow' | 'decode' | 'second' | 'stalled';

/**
 * One live session: start request, audio and control messages in order, results, `finished`, close (speech API §4).
 * Knows no socket, database or clock. Pauses the connection while the engine is behind, while the client leaves results
 * unread, and after too many frames in a second.
 */
export class LiveSession {
  readonly #parts: SessionParts;
  readonly #timers: Timers<Timer>;
  readonly #inputs: InputQueue;
  /** The first mistake in a frame that follows the start request, until the session is admitted. */
  #earlyMistake: { error: unknown } | undefined;
  #phase: 'waiting' | 'opening' | 'streaming' | 'finishing' | 'over' = 'waiting';
  #request: StartRequest | null = null;
  #admission: Admission | null = null;
  #stream: SttStream | null = null;
  #path: AudioPath | null = null;
  /** Why the session gets no more audio reserved. It ends with this refusal after its last result. */
  #exhausted: LiveRefusal | null = null;
  #isReaderBehind = false;
  #isPaused = false;
  #isEndRequested = false;
  /** Frames received in the current second. */
  #frames = 0;
  /** Audio received, bytes as sent. */
  #received = 0;
  /** Audio that has left the queue, bytes as sent. */
  #dequeued = 0;
  /** Audio that has reached the engine, bytes of s16le. */
  #heard = 0;
  /** Audio that the engine's results cover, milliseconds. */
  #resultsMs = 0;
  /** Most audio that the session is charged for, milliseconds. */
  #chargeableMs = Infinity;
  #summary: SessionSummary | null = null;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#timers = new Timers(parts.clock);
    this.#inputs = new InputQueue({
      audioLeaving: (bytes) => this.#onAudioLeaving(bytes),
      endLeaving: () => this.#onEndLeaving(),
      engineMoved: () => this.#timers.disarm('stalled'),
      changed: () => this.#applyBackpressure(),
      failed: (error) => this.#fail(error),
    });
    this.#armLimit('start', parts.limits.startTimeoutMs, refusal.startTimeout);
  }

  /** Audio that has reached the engine, milliseconds. */
  get heardMs(): number {
    return this.#audioMs();
  }

  /** A text frame came in. */
  text(frame: string): void {
    this.#readFrame(() => {
      if (this.#phase === 'waiting') return this.#begin(readStartRequest(frame));
      const input = readText(frame);
      this.#restartIdleTimer();
      if (input.kind === 'keepalive' || input.kind === 'finalize') this.#timers.disarm('slow');
      if (input.kind !== 'keepalive') this.#enqueue(input);
    });
  }

  /** A binary frame came in. An empty one does not end the audio. */
  binary(bytes: Uint8Array): void {
    this.#readFrame(() => {
      if (this.#phase === 'waiting') throw refusal.invalid('Start request must be a text message.');
      checkBinary(bytes);
      this.#restartIdleTimer();
      this.#watchInputRate();
      if (bytes.byteLength > 0) this.#enqueue({ kind: 'audio', bytes });
    });
  }

  /** The connection is closed, by either side. */
  gone(): void {
    void this.#end({ status: 'aborted', refusal: null });
  }

  /** The gate takes the session's place back. */
  withdraw(reason: LiveRefusal): void {
    this.#fail(reason);
  }

  /** The server is about to stop. */
  shutdown(): void {
    this.#fail(refusal.cannotContinue(1));
  }

  #readFrame(read: () => void): void {
    if (this.#phase === 'over' || this.#isEndRequested || this.#earlyMistake) return;
    this.#frames += 1;
    if (!this.#timers.running('second')) {
      this.#timers.arm('second', 1000, () => {
        this.#frames = 0;
        this.#applyBackpressure();
      });
    }
    try {
      read();
    } catch (error) {
      // The start request is still being checked. Its refusal takes precedence over this one.
      if (this.#phase === 'opening' && !this.#admission) this.#earlyMistake = { error };
      else this.#fail(error);
    }
    this.#applyBackpressure();
  }

  #begin(config: LiveConfig): void {
    this.#timers.disarm('start');
    this.#phase = 'opening';
    this.#open(config).catch((error: unknown) => this.#fail(error));
  }

  async #open(config: LiveConfig): Promise<void> {
    const { gate, models, engine, openDecoder, limits } = this.#parts;
    const ready = engine.ready();
    let isReady = false;
    // An engine that fails to start is reported by `await ready` below, after admission.
    ready.then(
      () => (isReady = true),
      () => undefined,
    );
    const caller = await gate.authenticate(config);
    const request = checkStartRequest(config, models);
    this.#request = request;
    const open = (): SttStream =>
      (this.#stream ??= engine.openStream(request.stream, {
        result: (result) => this.#result(result),
        error: (error) => this.#failEngine(error),
      }));
    // The session may end during each of these awaits: the client leaves, or the server stops.
    const admission = await caller.admit(request, () => {
      if (isReady && !this.#summary) open();
    });
    this.#admission = admission;
    if (this.#summary) {
      await admission.release(this.#summary);
      return;
    }
    if (this.#earlyMistake) return this.#fail(this.#earlyMistake.error);
    this.#armLimit('duration', limits.maxDurationMs, refusal.tooLong);
    if (admission.maxDurationMs !== null) this.#armLimit('key', admission.maxDurationMs, refusal.keySessionOver);
    this.#restartIdleTimer();
    await ready;
    if (this.#summary) return;
    const stream = new ReservedStream(open(), admission, (ms) => bytesOfMs(ms, request.stream), {
      giving: (bytes) => this.#mayReachEngine(bytes),
      exhausted: (reason) => this.#endExhausted(refusalOf(reason), stream),
    });
    this.#stream = stream;
    this.#phase = 'streaming';
    // Audio came before the stream was open; its rate counts from here.
    if (this.#received > 0) this.#watchInputRate();
    this.#path = openAudioPath(
      request.sound,
      stream,
      { decoded: (bytes) => this.#onDecoded(bytes), failed: (reason) => this.#fail(reason) },
      openDecoder,
    );
    this.#inputs.connect(stream, this.#path);
  }

  #enqueue(input: Input): void {
    if (input.kind === 'audio') {
      this.#received += input.bytes.byteLength;
      if (this.#received > this.#parts.limits.totalBytes) throw refusal.tooMuchAudio();
    }
    if (input.kind === 'end') {
      this.#isEndRequested = true;
      this.#timers.disarm('idle');
      this.#timers.disarm('slow');
    }
    this.#inputs.add(input);
  }

  /** Audio leaves the queue. A container must yield its first sound within a limit of bytes and of time. */
  #onAudioLeaving(bytes: Uint8Array): void {
    const { limits } = this.#parts;
    this.#dequeued += bytes.byteLength;
    if (this.#heard > 0 || this.#request?.sound.kind !== 'container') return;
    if (this.#dequeued > limits.undecodedBytes) throw refusal.decodeTimeout();
    if (!this.#timers.running('decode'))
      this.#armLimit('decode', limits.decodeTimeoutMs, () => this.#path?.doubt() ?? refusal.decodeTimeout());
  }

  /** The audio path has made this much s16le. @returns whether it may go on */
  #onDecoded(bytes: number): boolean {
    if (bytes > 0) this.#timers.disarm('decode');
    return this.#phase !== 'over';
  }

  /** No more audio can be reserved. Ends the engine's stream; after the last result the client gets the reason. */
  #endExhausted(reason: LiveRefusal, stream: SttStream): void {
    if (this.#phase === 'over' || this.#exhausted !== null) return;
    this.#exhausted = reason;
    this.#isEndRequested = true;
    this.#timers.disarm('idle');
    for (const timer of ['slow', 'stalled'] as const) this.#timers.disarm(timer);
    this.#inputs.stop();
    this.#onEndLeaving();
    stream.end();
  }

  /** Counts audio that is about to reach the engine. @returns whether it may; not if the session is too long or over */
  #mayReachEngine(bytes: number): boolean {
    if (this.#audioMs(bytes) > this.#parts.limits.maxDurationMs) this.#fail(refusal.audioTooLong());
    else this.#heard += bytes;
    return this.#phase !== 'over';
  }

  #onEndLeaving(): void {
    this.#phase = 'finishing';
    for (const timer of ['duration', 'key', 'decode'] as const) this.#timers.disarm(timer);
    this.#awaitFinish();
  }

  #awaitFinish(): void {
    const late = (): void => this.#failEngine(this.#exhausted ?? refusal.cannotContinue(2));
    this.#timers.arm('finish', this.#parts.limits.finishTimeoutMs, late);
  }

  #result(result: StreamResult): void {
    if (this.#phase === 'over') return;
    this.#resultsMs = result.totalAudioMs;
    if (this.#phase === 'finishing') this.#awaitFinish();
    const progress = { final_audio_proc_ms: result.finalAudioMs, total_audio_proc_ms: result.totalAudioMs };
    if (!result.finished || result.tokens.length > 0) this.#send({ tokens: result.tokens, ...progress });
    if (!result.finished) return this.#inputs.answered(result.tokens.filter(({ text }) => text === FINALIZED).length);
    if (this.#exhausted !== null) return this.#fail(this.#exhausted);
    const cost = this.#admission?.costOf(this.#audioMs()) ?? null;
    const notes = this.#path?.notes() ?? [];
    this.#endWith(
      { status: 'completed', refusal: null },
      {
        tokens: [],
        ...progress,
        finished: true,
        ...(notes.length === 0 ? {} : { audio_notes: [...notes] }),
        ...(cost === null ? {} : { cost_usd: cost }),
        ...(this.#admission?.isKeepable ? { request_id: this.#parts.requestId } : {}),
      },
    );
  }

  #send(message: LiveResult): void {
    this.#parts.connection.send(JSON.stringify(message), () => this.#applyBackpressure());
    this.#applyBackpressure();
  }

  /** Pauses or resumes the connection. See the class. */
  #applyBackpressure(): void {
    if (this.#phase === 'over') return;
    const { connection, limits } = this.#parts;
    const readerBehind = connection.pendingBytes() >= limits.outgoingBytes;
    if (readerBehind && !this.#isReaderBehind) this.#armLimit('reader', limits.slowReaderTimeoutMs, refusal.slowReader);
    if (!readerBehind) this.#timers.disarm('reader');
    this.#isReaderBehind = readerBehind;
    // A paused connection does not notice that the client is gone, so a pause must end.
    if (!this.#inputs.isEngineBehind) this.#timers.disarm('stalled');
    if (this.#inputs.isEngineBehind && this.#phase === 'streaming' && !this.#timers.running('stalled'))
      this.#timers.arm('stalled', limits.stalledEngineMs, () => this.#failEngine(refusal.cannotContinue(5)));
    const pause =
      readerBehind ||
      this.#inputs.isEngineBehind ||
      this.#inputs.heldBytes >= limits.incomingBytes ||
      this.#frames >= limits.framesPerSecond;
    if (pause === this.#isPaused) return;
    this.#isPaused = pause;
    if (pause) {
      // Nothing is read during the pause, so the client cannot be idle or slow.
      this.#timers.disarm('idle');
      this.#timers.disarm('slow');
      connection.pause();
    } else {
      connection.resume();
      this.#restartIdleTimer();
    }
  }

  /** The client sent a frame, or is read again. */
  #restartIdleTimer(): void {
    if (this.#isPaused || this.#isEndRequested || !this.#admission) return;
    this.#armLimit('idle', this.#parts.limits.idleTimeoutMs, () =>
      this.#received > 0 ? refusal.idle() : refusal.noFirstAudio(),
    );
  }

  /** Ends a session whose audio only trickles in, because it keeps a place from others. */
  #watchInputRate(): void {
    if (this.#phase !== 'streaming' || this.#isPaused || this.#timers.running('slow')) return;
    const { slowWindowMs, slowAudioMs } = this.#parts.limits;
    const before = this.#audioMs();
    this.#timers.arm('slow', slowWindowMs, () => {
      if (this.#audioMs() - before < slowAudioMs) this.#fail(refusal.inputTooSlow());
    });
  }

  #audioMs(more = 0): number {
    return this.#request ? audioMsOf(this.#heard + more, this.#request.stream) : 0;
  }

  /** The engine failed or does not answer. Only audio that its results cover is charged. */
  #failEngine(error: unknown): void {
    this.#chargeableMs = this.#resultsMs;
    this.#fail(error);
  }

  /** Ends the session with an error frame. Later calls do nothing. */
  #fail(error: unknown): void {
    if (this.#phase === 'over') return;
    const reason = refusalOf(error);
    this.#endWith({ status: 'failed', refusal: reason }, failureOf(reason, this.#parts));
  }

  /** Gives the place back, then sends the last frame: the client may start its next session at once. */
  #endWith(how: Omit<SessionSummary, 'audioMs'>, last: LiveResult | LiveFailure): void {
    const { connection } = this.#parts;
    const tell = (): void => {
      connection.send(JSON.stringify(last), () => {});
      connection.close(CLOSE_NORMAL);
    };
    const freed = this.#end(how);
    if (freed === undefined) tell();
    else void freed.then(tell);
  }

  /** @returns resolves when the place is free; undefined if the session had none, or is already over */
  #end(how: Omit<SessionSummary, 'audioMs'>): Promise<void> | undefined {
    if (this.#phase === 'over') return undefined;
    this.#phase = 'over';
    this.#timers.clear();
    this.#inputs.stop();
    if (how.status !== 'completed') this.#stream?.abort();
    // A paused connection would not receive the client's answer to the close frame.
    if (this.#isPaused) this.#parts.connection.resume();
    this.#summary = { ...how, audioMs: Math.min(this.#audioMs(), this.#chargeableMs) };
    const freed = this.#admission?.release(this.#summary);
    this.#parts.ended(this.#summary);
    return freed;
  }

  #armLimit(timer: Timer, ms: number, reason: () => LiveRefusal): void {
    this.#timers.arm(timer, ms, () => this.#fail(reason()));
  }
}
