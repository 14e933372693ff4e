import { SAMPLE_RATE } from '../port.ts';
import type { LiveToken } from '#contract/live.ts';
import { endpointSilenceMs, goOn, openSegment, shorten, type OpenSegment } from './live-segment.ts';
import { agreedPieces, presentable, spokenOut } from './hypothesis.ts';
import { Carry, withoutStop } from './carry.ts';
import { PcmReader } from '../pcm.ts';
import type { StreamOptions, StreamResult } from '../port.ts';
import type { Piece, Recognizer } from './recognizer.ts';
import { withSecondChance } from './second-chance.ts';
import { Speakers } from './speakers.ts';
import { SpeechTrack, toMs, toSamples } from './speech-track.ts';
import { TokenWriter, isWanted } from './token-writer.ts';
import { SPEECH_OFF, SPEECH_ON, VAD_FRAME, VAD_FRAME_MS } from './vad.ts';
import type { SpeechDetector } from './vad.ts';

/** New audio between two looks at a segment that is still open. */
const INTERVAL = toSamples(500);
/** Audio taken before the onset, and after the end, of speech: as much as around a segment of a recording, so that both are heard alike. */
const PADDING = toSamples(150);
const MIN_SPEECH_FRAMES = Math.ceil(100 / VAD_FRAME_MS);
/** An open segment longer than this loses its finished part; past the hard limit all of it becomes final. */
const MAX_SEGMENT = toSamples(8000);
const HARD_MAX_SEGMENT = toSamples(20_000);
/** The first words of a segment count as agreed on from this much audio on: what is made of less is a guess about their context too. */
const FIRST_CONTEXT = toSamples(1400);
/** Speech that was heard this recently goes on: its last word may be half said. */
const SPEAKING = toSamples(130);
/** Speech not yet looked at; beyond this the stream stops taking audio until the recognizer has caught up. */
const MAX_BACKLOG = toSamples(2500);
/** How often a silent stream tells its progress. */
const PROGRESS = toSamples(1000);

export type StreamInput =
  | { type: 'audio'; pcm: Uint8Array }
  | { type: 'finalize'; trailingSilenceMs?: number }
  | { type: 'end' };

/** Something to make final: a closed segment, a marker, the end of the stream, in the order they happened. */
interface Closing {
  segment: OpenSegment | null;
  end: number;
  marker: '<end>' | '<fin>' | null;
  finished: boolean;
  at: number;
  /** What is final is told, and the segment stays open: a cut in the middle of speech would make other words of both its parts. */
  goesOn: 'speaking' | 'pausing' | null;
}

/**
 * Live recognition of one stream: an open segment is decoded again every half second with its final words forced,
 * so that a final word is never contradicted. The caller alternates `ingest` and `run`.
 */
export class LiveTranscriber {
  readonly #recognizer: Recognizer;
  readonly #options: StreamOptions;
  readonly #track: SpeechTrack;
  readonly #reader: PcmReader;
  readonly #writer: TokenWriter;
  readonly #inputs: StreamInput[] = [];
  readonly #closings: Closing[] = [];
  readonly #speakers: Speakers | null;
  readonly #endpointFrames: number;
  #open: OpenSegment | null = null;
  readonly #carry = new Carry();
  #lastEnd = 0;
  #finalMs = 0;
  #reportedAt = 0;

  constructor(recognizer: Recognizer, detector: SpeechDetector, options: StreamOptions) {
    this.#recognizer = recognizer;
    this.#options = options;
    this.#writer = new TokenWriter(options);
    this.#endpointFrames = Math.round(endpointSilenceMs(options.maxEndpointDelayMs) / VAD_FRAME_MS);
    this.#track = new SpeechTrack(detector);
    this.#speakers = options.diarization === true ? new Speakers() : null;
    this.#reader = new PcmReader(options.sampleRate, options.channels);
  }

  push(input: StreamInput): void {
    this.#inputs.push(input);
  }

  /** True while `ingest` would take something. */
  get hungry(): boolean {
    return this.#inputs.length > 0 && this.#backlog() < MAX_BACKLOG;
  }

  /** Takes one input: voice activity and segmentation, no recognition. @returns the bytes of audio consumed */
  async ingest(): Promise<number> {
    const input = this.#inputs.shift();
    if (input === undefined) return 0;
    if (input.type === 'audio') {
      await this.#append(this.#reader.push(input.pcm));
      return input.pcm.length;
    }
    if (input.type === 'end') await this.#append(this.#reader.flush());
    if (input.type === 'end') this.#close({ end: this.#track.position, marker: null, finished: true });
    else this.#finalize(input.trailingSilenceMs);
    return 0;
  }

  /** What `run` would do: 'close' makes something final, 'partial' looks at the open segment, 'progress' tells how far a silent stream is. */
  get due(): 'close' | 'partial' | 'progress' | null {
    if (this.#closings.length > 0) return 'close';
    const segment = this.#open;
    const { position } = this.#track;
    if (segment === null) return position - this.#reportedAt >= PROGRESS ? 'progress' : null;
    const fresh = position - Math.max(segment.decodedAt, segment.onset) >= INTERVAL;
    const spoken =
      segment.decodedAt === 0 || (segment.lastSpeechFrame + 1) * VAD_FRAME > segment.decodedAt - toSamples(100);
    const worthwhile = (spoken && segment.speechFrames >= MIN_SPEECH_FRAMES) || this.#backlog() >= MAX_BACKLOG;
    return fresh && worthwhile ? 'partial' : null;
  }

  /** Does what is due. */
  async run(): Promise<StreamResult | null> {
    const closing = this.#closings.shift();
    if (closing !== undefined) return this.#finish(closing);
    const due = this.due;
    if (due === 'partial' && this.#open !== null) return this.#look(this.#open);
    return due === 'progress' ? this.#result([], [], toMs(this.#track.position), false) : null;
  }

  /** Samples that came in since the recognizer last caught up with speech. */
  #backlog(): number {
    const waiting = this.#closings.find(({ segment }) => segment !== null)?.segment ?? this.#open;
    return waiting === null ? 0 : this.#track.position - Math.max(waiting.decodedAt, waiting.onset);
  }

  async #append(samples: Float32Array): Promise<void> {
    await this.#track.append(samples, (frame, probability) => this.#hear(frame, probability));
    const held = this.#closings.find(({ segment }) => segment !== null)?.segment ?? this.#open;
    // Speech is noticed as much later as its padding is long.
    if (!held) this.#carry.forget(this.#track.position - PADDING);
    this.#track.forgetBefore(Math.min(held?.start ?? Infinity, this.#carry.start, this.#track.position - SAMPLE_RATE));
  }

  #hear(frame: number, probability: number): void {
    const segment = this.#open;
    if (segment === null) {
      if (probability < SPEECH_ON) return;
      const start = Math.max(this.#lastEnd, frame * VAD_FRAME - PADDING);
      this.#open = openSegment(start, frame);
      return;
    }
    if (probability >= SPEECH_OFF) {
      segment.lastSpeechFrame = frame;
      segment.speechFrames += 1;
    } else if (frame - segment.lastSpeechFrame >= this.#endpointFrames) {
      this.#close({
        end: (segment.lastSpeechFrame + 1) * VAD_FRAME + PADDING,
        marker: this.#options.endpointDetection === true ? '<end>' : null,
        finished: false,
      });
    }
  }

  /** Where speech ends when the client has seen silence since: not before the last frame that sounds like speech, whatever the client says. */
  #endOfSpeech(trailingSilenceMs = 0): number {
    const { position } = this.#track;
    if (trailingSilenceMs <= 0) return position;
    const heard = this.#open === null ? 0 : (this.#open.lastSpeechFrame + 1) * VAD_FRAME;
    return Math.min(position, Math.max(heard, position - toSamples(trailingSilenceMs)) + PADDING);
  }

  /** However often it is asked for, the words stay those that would have been heard without (CON-17). */
  #finalize(trailingSilenceMs = 0): void {
    const segment = this.#open;
    const { position } = this.#track;
    // Speech is still going on where it was heard this recently.
    const speaking = segment !== null && position - (segment.lastSpeechFrame + 1) * VAD_FRAME < SPEAKING;
    if (segment !== null && (trailingSilenceMs <= 0 || speaking)) {
      this.#closings.push({
        segment,
        end: position,
        marker: '<fin>',
        finished: false,
        at: position,
        goesOn: speaking ? 'speaking' : 'pausing',
      });
    } else this.#close({ end: this.#endOfSpeech(trailingSilenceMs), marker: '<fin>', finished: false });
  }

  #close({ end, marker, finished }: Pick<Closing, 'end' | 'marker' | 'finished'>): void {
    this.#closings.push({ segment: this.#open, end, marker, finished, at: this.#track.position, goesOn: null });
    this.#open = null;
    this.#lastEnd = Math.max(this.#lastEnd, end);
  }

  async #finish({ segment, end, marker, finished, at, goesOn }: Closing): Promise<StreamResult> {
    if (goesOn !== null && segment !== null) return this.#settle(segment, at, goesOn === 'speaking');
    const final: LiveToken[] = [];
    let spoken = false;
    if (segment !== null && (segment.speechFrames >= MIN_SPEECH_FRAMES || segment.everCommitted)) {
      goOn(segment, this.#carry);
      const heard = await withSecondChance((trim) =>
        this.#decode(segment, { start: segment.shortened ? 0 : trim, end: end - trim }),
      );
      const pieces = this.#wants(segment, heard) ? heard : [];
      spoken = segment.everCommitted || pieces.length > 0;
      final.push(...this.#final(pieces, at));
      this.#carry.keep([...segment.committed, ...pieces], end);
    }
    if (marker === '<fin>' || (marker === '<end>' && spoken))
      final.push({ ...this.#writer.mark(marker, toMs(at)), is_final: true });
    return this.#result(final, [], toMs(at), finished);
  }

  /** Makes final what is said of a segment that goes on; a word in the middle of which it is asked for comes with what follows. */
  async #settle(segment: OpenSegment, at: number, speaking: boolean): Promise<StreamResult> {
    const enough = speaking
      ? at - segment.onset >= FIRST_CONTEXT || segment.everCommitted
      : segment.speechFrames >= MIN_SPEECH_FRAMES;
    goOn(segment, this.#carry);
    const pieces = enough ? await this.#decode(segment, { start: 0, end: at, least: SAMPLE_RATE }) : [];
    const final = this.#wants(segment, pieces) ? spokenOut(pieces, speaking ? toMs(at) : null) : [];
    segment.decodedAt = Math.max(segment.decodedAt, at);
    segment.committed.push(...final);
    segment.everCommitted ||= final.length > 0;
    segment.previous = pieces.slice(final.length);
    const finalMs = speaking ? (segment.committed.at(-1)?.endMs ?? toMs(segment.onset)) : toMs(at);
    const tokens = this.#final(final, at);
    return this.#result(
      [...tokens, { ...this.#writer.mark('<fin>', Math.max(finalMs, this.#finalMs)), is_final: true }],
      [],
      finalMs,
      false,
    );
  }

  async #look(segment: OpenSegment): Promise<StreamResult> {
    const now = this.#track.position;
    const looked = segment.everCommitted || segment.decodedAt - segment.onset >= FIRST_CONTEXT;
    goOn(segment, this.#carry);
    const pieces = await this.#decode(segment, { start: 0, end: now, least: SAMPLE_RATE });
    segment.decodedAt = now;
    const wanted = this.#wants(segment, pieces);
    let count = looked && wanted ? agreedPieces(pieces, segment.previous, toMs(now)) : 0;
    const tooLong = now - segment.start > MAX_SEGMENT;
    const forced = now - segment.start > HARD_MAX_SEGMENT;
    if (forced && wanted) count = pieces.length;
    const final = pieces.slice(0, count);
    const rest = pieces.slice(count);
    segment.committed.push(...final);
    segment.everCommitted ||= final.length > 0;
    segment.previous = rest;
    const finalMs = final.at(-1)?.endMs;
    if (forced) Object.assign(segment, { start: now, onset: now, committed: [], shortened: true });
    else if (tooLong) shorten(segment, this.#track, now);
    return this.#result(
      this.#final(final, now),
      this.#nonFinal(wanted ? presentable(rest) : [], now),
      finalMs ?? toMs(segment.onset),
      false,
    );
  }

  /**
   * Decodes a segment and gives what comes after its final pieces, timed from the start of the stream.
   * @param range samples to leave out at its start, the position of its end, and the length that silence fills it up to
   */
  async #decode(
    segment: OpenSegment,
    { start, end, least = 0 }: { start: number; end: number; least?: number },
  ): Promise<Piece[]> {
    const from = segment.start + start;
    const heard = this.#track.slice(from, end);
    // Speech that has only begun is recognized better with silence after it.
    const audio = new Float32Array(Math.max(heard.length, least));
    audio.set(heard);
    const offset = toMs(from);
    const untilMs = toMs(Math.min(end, this.#track.position));
    const pieces = await this.#recognizer.recognize(audio, {
      prefix: segment.committed.flatMap(({ ids }) => ids),
      draft: segment.previous.flatMap(({ ids }) => ids),
    });
    const after = pieces.slice(segment.committed.length);
    return (segment.everCommitted ? after : withoutStop(after)).map((piece) => {
      const endMs = Math.min(offset + piece.endMs, untilMs);
      return { ...piece, endMs, startMs: this.#track.speechStartMs(Math.min(offset + piece.startMs, untilMs), endMs) };
    });
  }

  #wants(segment: OpenSegment, pieces: readonly Piece[]): boolean {
    return isWanted([...segment.committed, ...pieces], this.#options);
  }

  #final(pieces: readonly Piece[], at: number): LiveToken[] {
    return this.#writer
      .write(this.#speakers?.label(pieces, this.#track, true) ?? pieces, toMs(at))
      .map((token) => ({ ...token, is_final: true }));
  }

  #nonFinal(pieces: readonly Piece[], at: number): LiveToken[] {
    return this.#writer
      .preview(this.#speakers?.label(pieces, this.#track, false) ?? pieces, toMs(at))
      .map((token) => ({ ...token, is_final: false }));
  }

  #result(final: LiveToken[], nonFinal: LiveToken[], finalMs: number, finished: boolean): StreamResult {
    this.#finalMs = Math.max(this.#finalMs, Math.round(finalMs));
    this.#reportedAt = this.#track.position;
    const totalAudioMs = Math.max(this.#finalMs, Math.round(toMs(this.#track.position)));
    return { tokens: [...final, ...nonFinal], finalAudioMs: this.#finalMs, totalAudioMs, finished };
  }
}
