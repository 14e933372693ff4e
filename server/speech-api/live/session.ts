import { CLOSE_NORMAL, type LiveConfig, type LiveFailure, type LiveResult } from '#contract/live.ts';
import type { SttStream, StreamResult } from '../../engine/port.ts';
import { AudioCount } from './audio-count.ts';
import { openAudioPath, type AudioPath } from './audio-path.ts';
import { checkBinary, readText } from './control.ts';
import { Flow } from './flow.ts';
import { InputQueue, type Input } from './input-queue.ts';
import { takesFrames, type LiveEvent, type LiveTimer } from './life.ts';
import { Lifetime } from './lifetime.ts';
import { bytesOfMs } from './pcm-formats.ts';
import type { Admission, SessionParts, SessionSummary } from './ports.ts';
import { failureOf, refusal, refusalOf, type LiveRefusal } from './refusal.ts';
import { ReservedStream } from './reserved-stream.ts';
import { checkStartRequest, readStartRequest } from './start-request.ts';
import { TIMERS } from './timers.ts';

/** The marker that answers a finalize. */
const FINALIZED = '<fin>';

/**
 * One live session: start request, audio and control messages in order, results, `finished`, close (speech API §4).
 * Knows no socket, database or clock. Moves by the table of `life.ts`, and pauses the connection as {@link Flow} says.
 */
export class LiveSession {
  readonly #parts: SessionParts;
  readonly #audio: AudioCount;
  readonly #inputs: InputQueue;
  readonly #flow: Flow;
  readonly #life: Lifetime;
  #admission: Admission | null = null;
  #stream: SttStream | null = null;
  #path: AudioPath | null = null;
  /** The refusal with which the session will end, in the states `admittingMistaken` and `exhausted`. */
  #verdict: LiveRefusal | null = null;
  /** How the session has ended. */
  #summary: SessionSummary | null = null;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { connection, clock, limits } = parts;
    this.#audio = new AudioCount(limits);
    this.#inputs = new InputQueue({
      audioLeaving: (bytes) => {
        if (this.#audio.dequeue(bytes.byteLength)) this.#life.startOnce('decode');
      },
      endLeaving: () => void this.#life.move('emptied'),
      engineMoved: () => this.#life.stop('stalled'),
      changed: () => this.#applyFlow(),
      failed: (error) => this.#fail(error),
    });
    this.#flow = new Flow({ connection, inputs: this.#inputs, limits });
    this.#life = new Lifetime(
      {
        clock,
        lengthOf: (timer) => TIMERS[timer].length(limits, this.#admission),
        expired: (timer) => this.#onExpired(timer),
        faulty: (error) => this.#fail(error),
      },
      this.#flow,
    );
  }

  /** Audio that has reached the engine, milliseconds. */
  get heardMs(): number {
    return this.#audio.heardMs;
  }

  /** A text frame came in. */
  text(frame: string): void {
    this.#readFrame(() => {
      if (this.#life.state === 'waiting') return this.#begin(readStartRequest(frame));
      const input = readText(frame);
      this.#life.start('idle');
      if (input.kind === 'keepalive' || input.kind === 'finalize') this.#life.stop('slow');
      if (input.kind === 'audio') this.#watchInputRate();
      if (input.kind !== 'keepalive') this.#enqueue(input);
    });
  }

  /** A binary frame came in. An empty one does not end the audio. */
  binary(bytes: Uint8Array): void {
    this.#readFrame(() => {
      if (this.#life.state === 'waiting') throw refusal.invalid('Start request must be a text message.');
      checkBinary(bytes);
      this.#life.start('idle');
      this.#watchInputRate();
      if (bytes.byteLength > 0) this.#enqueue({ kind: 'audio', bytes });
    });
  }

  /** The connection is closed, by either side. */
  gone(): void {
    if (this.#life.move('left')) void this.#end({ status: 'aborted', refusal: null });
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
    if (!takesFrames(this.#life.state)) return;
    this.#flow.countFrame();
    this.#life.startOnce('second');
    try {
      read();
    } catch (error) {
      this.#fail(error, { event: takesFrames(this.#life.state) ? 'mistaken' : 'failed' });
    }
    this.#applyFlow();
  }

  #begin(config: LiveConfig): void {
    this.#life.move('requested');
    this.#open(config).catch((error: unknown) => this.#fail(error));
  }

  async #open(config: LiveConfig): Promise<void> {
    const { gate, models, engine, openDecoder } = this.#parts;
    const ready = engine.ready();
    let isReady = false;
    // An engine that fails to start is reported by `await ready` below, after admission.
    ready.then(
      () => (isReady = true),
      () => undefined,
    );
    const caller = await gate.authenticate(config);
    const request = checkStartRequest(config, models);
    this.#audio.takeFormats(request);
    const open = (): SttStream =>
      (this.#stream ??= engine.openStream(request.stream, {
        result: (result) => this.#result(result),
        error: (error) => this.#fail(error, { chargedMs: this.#audio.resultsMs }),
      }));
    // The session may end during each of these awaits: the client leaves, or the server stops.
    const admission = await caller.admit(request, () => {
      if (isReady && !this.#summary) open();
    });
    this.#admission = admission;
    if (!this.#life.move('admitted')) {
      if (this.#summary) await admission.release(this.#summary);
      return;
    }
    if (this.#verdict) return this.#refuse(this.#verdict);
    this.#life.start('key');
    this.#life.start('idle');
    await ready;
    if (this.#summary) return;
    const stream = new ReservedStream(open(), admission, (ms) => bytesOfMs(ms, request.stream), {
      giving: (bytes) => this.#mayReachEngine(bytes),
      exhausted: (reason) => this.#endExhausted(refusalOf(reason), stream),
    });
    this.#stream = stream;
    if (!this.#life.move('opened')) return stream.abort();
    // Audio came before the stream was open; its rate counts from here.
    if (this.#audio.hasAudio) this.#watchInputRate();
    this.#path = openAudioPath(
      request.sound,
      stream,
      { decoded: (bytes) => this.#onDecoded(bytes), failed: (reason) => this.#fail(reason) },
      openDecoder,
    );
    this.#inputs.connect(stream, this.#path);
  }

  #enqueue(input: Input): void {
    if (input.kind === 'audio') this.#audio.receive(input.bytes.byteLength);
    if (input.kind === 'end') this.#life.move('ended');
    this.#inputs.add(input);
  }

  /** The audio path has made this much s16le. @returns whether it may go on */
  #onDecoded(bytes: number): boolean {
    if (bytes > 0) this.#life.stop('decode');
    return this.#life.state !== 'over';
  }

  /** No more audio can be reserved. Ends the engine's stream; after the last result the client gets the reason. */
  #endExhausted(reason: LiveRefusal, stream: SttStream): void {
    if (!this.#life.move('exhausted')) return;
    this.#verdict = reason;
    this.#inputs.stop();
    this.#life.start('finish');
    stream.end();
  }

  /** Counts audio that is about to reach the engine. @returns whether it may; not if the session is too long or over */
  #mayReachEngine(bytes: number): boolean {
    if (!this.#audio.hear(bytes)) this.#fail(refusal.audioTooLong());
    return this.#life.state !== 'over';
  }

  #result(result: StreamResult): void {
    if (this.#life.state === 'over') return;
    this.#audio.resultsMs = result.totalAudioMs;
    this.#life.start('finish');
    const progress = { final_audio_proc_ms: result.finalAudioMs, total_audio_proc_ms: result.totalAudioMs };
    if (!result.finished || result.tokens.length > 0) this.#send({ tokens: result.tokens, ...progress });
    if (!result.finished) return this.#inputs.answered(result.tokens.filter(({ text }) => text === FINALIZED).length);
    if (this.#verdict) return this.#fail(this.#verdict, { event: 'completed' });
    const cost = this.#admission?.costOf(this.#audio.heardMs) ?? null;
    const notes = this.#path?.notes() ?? [];
    const last = {
      tokens: [],
      ...progress,
      finished: true,
      ...(notes.length === 0 ? {} : { audio_notes: [...notes] }),
      ...(cost === null ? {} : { cost_usd: cost }),
      ...(this.#admission?.isKeepable ? { request_id: this.#parts.requestId } : {}),
    };
    if (this.#life.move('completed')) this.#endWith({ status: 'completed', refusal: null }, last);
  }

  #send(message: LiveResult): void {
    this.#parts.connection.send(JSON.stringify(message), () => this.#applyFlow());
    this.#applyFlow();
  }

  /** Pauses or resumes the connection, and watches who is behind. */
  #applyFlow(): void {
    if (this.#life.state === 'over') return;
    const { connection } = this.#parts;
    const wasPaused = this.#flow.isPaused;
    if (this.#flow.update()) this.#life.stopOthers();
    this.#life.startOnce('reader');
    // A paused connection does not notice that the client is gone, so a pause must end.
    this.#life.startOnce('stalled');
    if (this.#flow.isPaused === wasPaused) return;
    if (this.#flow.isPaused) return connection.pause();
    connection.resume();
    this.#life.start('idle');
  }

  /** Ends a session whose audio only trickles in, because it keeps a place from others. */
  #watchInputRate(): void {
    if (this.#life.startOnce('slow')) this.#audio.startSlowCheck();
  }

  #onExpired(timer: LiveTimer): void {
    if (timer === 'second') {
      this.#flow.startSecond();
      return this.#applyFlow();
    }
    const { limits } = this.#parts;
    const reason = TIMERS[timer].refusal({ limits, audio: this.#audio, path: this.#path, verdict: this.#verdict });
    const chargedMs = TIMERS[timer].isOfEngine ? this.#audio.resultsMs : undefined;
    if (reason) this.#fail(reason, { event: 'expired', chargedMs });
  }

  /**
   * Takes an event that refuses the session: ends it with an error frame, now or later, as the table says.
   * @param chargedMs most audio that is charged; if the engine fails or does not answer, what its results cover
   */
  #fail(
    error: unknown,
    { event = 'failed', chargedMs }: { event?: LiveEvent; chargedMs?: number | undefined } = {},
  ): void {
    if (!this.#life.move(event)) return;
    const reason = refusalOf(error);
    if (this.#life.state === 'over') this.#refuse(reason, chargedMs);
    else this.#verdict = reason;
  }

  #refuse(reason: LiveRefusal, chargedMs?: number): void {
    this.#endWith({ status: 'failed', refusal: reason }, failureOf(reason, this.#parts), chargedMs);
  }

  /** Gives the place back, then sends the last frame: the client may start its next session at once. */
  #endWith(how: Omit<SessionSummary, 'audioMs'>, last: LiveResult | LiveFailure, chargedMs?: number): void {
    const { connection } = this.#parts;
    const sendLast = (): void => {
      connection.send(JSON.stringify(last), () => {});
      connection.close(CLOSE_NORMAL);
    };
    const freed = this.#end(how, chargedMs);
    if (freed === undefined) sendLast();
    else void freed.then(sendLast);
  }

  /** Releases everything; the session is over. @returns resolves when the place is free; undefined if it had none */
  #end(how: Omit<SessionSummary, 'audioMs'>, chargedMs = Infinity): Promise<void> | undefined {
    this.#inputs.stop();
    if (how.status !== 'completed') this.#stream?.abort();
    // A paused connection would not receive the client's answer to the close frame.
    if (this.#flow.isPaused) this.#parts.connection.resume();
    this.#summary = { ...how, audioMs: Math.min(this.#audio.heardMs, chargedMs) };
    const freed = this.#admission?.release(this.#summary);
    this.#parts.ended(this.#summary);
    return freed;
  }
}
