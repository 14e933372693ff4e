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
 * It knows no socket, no database and no clock of its own. The client is slowed down where the engine or the client's own
 * reading is behind, and where it sends more frames than there is use for.
 */
export class LiveSession {
  readonly #parts: SessionParts;
  readonly #timers: Timers<Timer>;
  readonly #inputs: InputQueue;
  /** The first mistake in a frame that came before the session was admitted. */
  #early: { error: unknown } | undefined;
  #phase: 'waiting' | 'opening' | 'streaming' | 'finishing' | 'over' = 'waiting';
  #request: StartRequest | null = null;
  #admission: Admission | null = null;
  #stream: SttStream | null = null;
  #path: AudioPath | null = null;
  /** Why nothing more is heard, where the last words are still to come. */
  #exhausted: LiveRefusal | null = null;
  #readerBehind = false;
  #paused = false;
  #endRequested = false;
  /** Frames of the current second. */
  #frames = 0;
  /** Bytes of audio as they came, those of them that were handed on, and the s16le that became of them. */
  #received = 0;
  #handed = 0;
  #heard = 0;
  /** Sound that the engine's last result is of, and the most that is charged; milliseconds. */
  #toldMs = 0;
  #mostMs = Infinity;
  #summary: SessionSummary | null = null;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#timers = new Timers(parts.clock);
    this.#inputs = new InputQueue({
      handing: (bytes) => this.#handing(bytes),
      ending: () => this.#ending(),
      moved: () => this.#timers.disarm('stalled'),
      changed: () => this.#regulate(),
      failed: (error) => this.#fail(error),
    });
    this.#limit('start', parts.limits.startTimeoutMs, refusal.startTimeout);
  }

  /** Audio that reached the engine so far, milliseconds. */
  get heardMs(): number {
    return this.#audioMs();
  }

  /** A text frame came in. */
  text(frame: string): void {
    this.#frame(() => {
      if (this.#phase === 'waiting') return this.#begin(readStartRequest(frame));
      const input = readText(frame);
      this.#touch();
      if (input.kind === 'keepalive' || input.kind === 'finalize') this.#timers.disarm('slow');
      if (input.kind !== 'keepalive') this.#take(input);
    });
  }

  /** A binary frame came in. An empty one is an empty piece of audio, not the end. */
  binary(bytes: Uint8Array): void {
    this.#frame(() => {
      if (this.#phase === 'waiting') throw refusal.invalid('Start request must be a text message.');
      checkBinary(bytes);
      this.#touch();
      this.#watchRate();
      if (bytes.byteLength > 0) this.#take({ kind: 'audio', bytes });
    });
  }

  /** The connection is gone, whoever closed it. */
  gone(): void {
    void this.#over({ status: 'aborted', refusal: null });
  }

  /** Whoever admitted it takes the place back. */
  withdraw(reason: LiveRefusal): void {
    this.#fail(reason);
  }

  /** The server is about to stop. */
  shutdown(): void {
    this.#fail(refusal.cannotContinue(1));
  }

  #frame(read: () => void): void {
    if (this.#phase === 'over' || this.#endRequested || this.#early) return;
    this.#frames += 1;
    if (!this.#timers.running('second')) {
      this.#timers.arm('second', 1000, () => {
        this.#frames = 0;
        this.#regulate();
      });
    }
    try {
      read();
    } catch (error) {
      // A mistake in the start request comes before one in what follows it.
      if (this.#phase === 'opening' && !this.#admission) this.#early = { error };
      else this.#fail(error);
    }
    this.#regulate();
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
    // What it fails with is told to who is admitted.
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
        error: (error) => this.#break(error),
      }));
    // The client may leave, or the server begin to stop, at any of these steps.
    const admission = await caller.admit(request, () => {
      if (isReady && !this.#summary) open();
    });
    this.#admission = admission;
    if (this.#summary) {
      await admission.release(this.#summary);
      return;
    }
    if (this.#early) return this.#fail(this.#early.error);
    this.#limit('duration', limits.maxDurationMs, refusal.tooLong);
    if (admission.maxDurationMs !== null) this.#limit('key', admission.maxDurationMs, refusal.keySessionOver);
    this.#touch();
    await ready;
    if (this.#summary) return;
    const stream = new ReservedStream(open(), admission, (ms) => bytesOfMs(ms, request.stream), {
      given: (bytes) => this.#hear(bytes),
      exhausted: (reason) => this.#exhaust(refusalOf(reason), stream),
    });
    this.#stream = stream;
    this.#phase = 'streaming';
    // Audio that has come already counts from now on.
    if (this.#received > 0) this.#watchRate();
    this.#path = openAudioPath(
      request.sound,
      stream,
      { heard: (bytes) => this.#sounds(bytes), failed: (reason) => this.#fail(reason) },
      openDecoder,
    );
    this.#inputs.connect(stream, this.#path);
  }

  #take(input: Input): void {
    if (input.kind === 'audio') {
      this.#received += input.bytes.byteLength;
      if (this.#received > this.#parts.limits.totalBytes) throw refusal.tooMuchAudio();
    }
    if (input.kind === 'end') {
      this.#endRequested = true;
      this.#timers.disarm('idle');
      this.#timers.disarm('slow');
    }
    this.#inputs.add(input);
  }

  /** Audio leaves the queue. What is in a container must begin to sound before long. */
  #handing(bytes: Uint8Array): void {
    const { limits } = this.#parts;
    this.#handed += bytes.byteLength;
    if (this.#heard > 0 || this.#request?.sound.kind !== 'container') return;
    if (this.#handed > limits.undecodedBytes) throw refusal.decodeTimeout();
    if (!this.#timers.running('decode'))
      this.#limit('decode', limits.decodeTimeoutMs, () => this.#path?.doubt() ?? refusal.decodeTimeout());
  }

  /** What came in a container sounds. */
  #sounds(bytes: number): boolean {
    if (bytes > 0) this.#timers.disarm('decode');
    return this.#phase !== 'over';
  }

  /** No more sound may be heard than was. What was said so far is still told, and then why it ends. */
  #exhaust(reason: LiveRefusal, stream: SttStream): void {
    if (this.#phase === 'over' || this.#exhausted !== null) return;
    this.#exhausted = reason;
    this.#endRequested = true;
    this.#timers.disarm('idle');
    for (const timer of ['slow', 'stalled'] as const) this.#timers.disarm(timer);
    this.#inputs.stop();
    this.#ending();
    stream.end();
  }

  /** Audio is about to reach the engine, unless it is too much. */
  #hear(bytes: number): boolean {
    if (this.#audioMs(bytes) > this.#parts.limits.maxDurationMs) this.#fail(refusal.audioTooLong());
    else this.#heard += bytes;
    return this.#phase !== 'over';
  }

  #ending(): void {
    this.#phase = 'finishing';
    for (const timer of ['duration', 'key', 'decode'] as const) this.#timers.disarm(timer);
    this.#awaitFinish();
  }

  #awaitFinish(): void {
    const late = (): void => this.#break(this.#exhausted ?? refusal.cannotContinue(2));
    this.#timers.arm('finish', this.#parts.limits.finishTimeoutMs, late);
  }

  #result(result: StreamResult): void {
    if (this.#phase === 'over') return;
    this.#toldMs = result.totalAudioMs;
    if (this.#phase === 'finishing') this.#awaitFinish();
    const progress = { final_audio_proc_ms: result.finalAudioMs, total_audio_proc_ms: result.totalAudioMs };
    if (!result.finished || result.tokens.length > 0) this.#send({ tokens: result.tokens, ...progress });
    if (!result.finished) return this.#inputs.answered(result.tokens.filter(({ text }) => text === FINALIZED).length);
    if (this.#exhausted !== null) return this.#fail(this.#exhausted);
    const cost = this.#admission?.costOf(this.#audioMs()) ?? null;
    const notes = this.#path?.notes() ?? [];
    this.#leave(
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
    this.#parts.connection.send(JSON.stringify(message), () => this.#regulate());
    this.#regulate();
  }

  /** Reads from the client only while the engine and the client's own reading keep up. */
  #regulate(): void {
    if (this.#phase === 'over') return;
    const { connection, limits } = this.#parts;
    const readerBehind = connection.pendingBytes() >= limits.outgoingBytes;
    if (readerBehind && !this.#readerBehind) this.#limit('reader', limits.slowReaderTimeoutMs, refusal.slowReader);
    if (!readerBehind) this.#timers.disarm('reader');
    this.#readerBehind = readerBehind;
    // A paused connection does not even tell that the client is gone: no pause may last for ever.
    if (!this.#inputs.behind) this.#timers.disarm('stalled');
    if (this.#inputs.behind && this.#phase === 'streaming' && !this.#timers.running('stalled'))
      this.#timers.arm('stalled', limits.stalledEngineMs, () => this.#break(refusal.cannotContinue(5)));
    const pause =
      readerBehind ||
      this.#inputs.behind ||
      this.#inputs.held >= limits.incomingBytes ||
      this.#frames >= limits.framesPerSecond;
    if (pause === this.#paused) return;
    this.#paused = pause;
    if (pause) {
      // A client that is not listened to can be neither idle nor slow.
      this.#timers.disarm('idle');
      this.#timers.disarm('slow');
      connection.pause();
    } else {
      connection.resume();
      this.#touch();
    }
  }

  /** A sign of life. */
  #touch(): void {
    if (this.#paused || this.#endRequested || !this.#admission) return;
    this.#limit('idle', this.#parts.limits.idleTimeoutMs, () =>
      this.#received > 0 ? refusal.idle() : refusal.noFirstAudio(),
    );
  }

  /** Audio that only trickles in holds a place that others want. */
  #watchRate(): void {
    if (this.#phase !== 'streaming' || this.#paused || this.#timers.running('slow')) return;
    const { slowWindowMs, slowAudioMs } = this.#parts.limits;
    const before = this.#audioMs();
    this.#timers.arm('slow', slowWindowMs, () => {
      if (this.#audioMs() - before < slowAudioMs) this.#fail(refusal.inputTooSlow());
    });
  }

  #audioMs(more = 0): number {
    return this.#request ? audioMsOf(this.#heard + more, this.#request.stream) : 0;
  }

  /** The engine has failed, or is silent. What it has told nothing of is not charged: nobody knows whether it was heard. */
  #break(error: unknown): void {
    this.#mostMs = this.#toldMs;
    this.#fail(error);
  }

  /** Tells the client why, then closes; the first reason counts. */
  #fail(error: unknown): void {
    if (this.#phase === 'over') return;
    const reason = refusalOf(error);
    this.#leave({ status: 'failed', refusal: reason }, failureOf(reason, this.#parts));
  }

  /** A client that hears of the end may start again at once, so its place is given back before. */
  #leave(how: Omit<SessionSummary, 'audioMs'>, last: LiveResult | LiveFailure): void {
    const { connection } = this.#parts;
    const tell = (): void => {
      connection.send(JSON.stringify(last), () => {});
      connection.close(CLOSE_NORMAL);
    };
    const freed = this.#over(how);
    if (freed === undefined) tell();
    else void freed.then(tell);
  }

  /** @returns when the place is free; undefined where none was taken, or it is free already */
  #over(how: Omit<SessionSummary, 'audioMs'>): Promise<void> | undefined {
    if (this.#phase === 'over') return undefined;
    this.#phase = 'over';
    this.#timers.clear();
    this.#inputs.stop();
    if (how.status !== 'completed') this.#stream?.abort();
    // A paused connection would never see the client's answer to the close frame.
    if (this.#paused) this.#parts.connection.resume();
    this.#summary = { ...how, audioMs: Math.min(this.#audioMs(), this.#mostMs) };
    const freed = this.#admission?.release(this.#summary);
    this.#parts.ended(this.#summary);
    return freed;
  }

  #limit(timer: Timer, ms: number, reason: () => LiveRefusal): void {
    this.#timers.arm(timer, ms, () => this.#fail(reason()));
  }
}
