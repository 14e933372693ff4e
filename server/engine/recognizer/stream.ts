import type { LiveToken } from '#contract/live.ts';
import {
  endpointSilenceMs,
  continueFrom,
  openSegment,
  shorten,
  type Asked,
  type Closing,
  type OpenSegment,
} from './live-segment.ts';
import { agreedPieces, presentable, finalOnDemand } from './hypothesis.ts';
import { Carry, withoutLeadingStop } from './carry.ts';
import { LiveResults } from './live-results.ts';
import { PcmReader } from '../pcm.ts';
import { SAMPLE_RATE, type StreamOptions, type StreamResult } from '../port.ts';
import type { Piece, Recognizer } from './recognizer.ts';
import { withSecondChance } from './second-chance.ts';
import { SpeechTrack, toMs, toSamples } from './speech-track.ts';
import { isWanted } from './token-writer.ts';
import { FIRST_CONTEXT, isSpeaking, WaitingFinalizes } from './waiting-finalizes.ts';
import { SPEECH_OFF, SPEECH_ON, VAD_FRAME, VAD_FRAME_MS, type SpeechDetector } from './vad.ts';

/** New audio between two decodings of an open segment. */
const INTERVAL = toSamples(500);
/**
 * Audio decoded before the onset and after the end of speech: as much as in a file, so that both give the same words.
 */
const PADDING = toSamples(150);
const MIN_SPEECH_FRAMES = Math.ceil(100 / VAD_FRAME_MS);
/** A longer open segment drops the front of its final words; past the hard limit all of it becomes final. */
const MAX_SEGMENT = toSamples(8000);
const HARD_MAX_SEGMENT = toSamples(20_000);
/** How much speech may wait to be decoded. With more, the stream takes no audio until the recognizer has caught up. */
const MAX_BACKLOG = toSamples(2500);
/** How often a silent stream reports its progress. */
const PROGRESS = toSamples(1000);

export type StreamInput =
  | { type: 'audio'; pcm: Uint8Array }
  | { type: 'finalize'; trailingSilenceMs?: number }
  /** No audio has come for a while. */
  | { type: 'quiet' }
  | { type: 'end' };

/**
 * Recognizes one live stream. Decodes the open segment again every half second and forces its final words, so that a
 * final word never changes. The caller alternates `ingest` and `run`.
 */
export class LiveTranscriber {
  readonly #recognizer: Recognizer;
  readonly #options: StreamOptions;
  readonly #track: SpeechTrack;
  readonly #reader: PcmReader;
  readonly #results: LiveResults;
  readonly #inputs: StreamInput[] = [];
  readonly #closings: Closing[] = [];
  readonly #waiting = new WaitingFinalizes();
  readonly #endpointFrames: number;
  #open: OpenSegment | null = null;
  readonly #carry = new Carry();
  #lastEnd = 0;

  constructor(recognizer: Recognizer, detector: SpeechDetector, options: StreamOptions) {
    this.#recognizer = recognizer;
    this.#options = options;
    this.#endpointFrames = Math.round(endpointSilenceMs(options.maxEndpointDelayMs) / VAD_FRAME_MS);
    this.#track = new SpeechTrack(detector);
    this.#results = new LiveResults(this.#track, options);
    this.#reader = new PcmReader(options.sampleRate, options.channels);
  }

  push(input: StreamInput): void {
    this.#inputs.push(input);
  }

  /** Whether inputs wait to be taken in. */
  get waiting(): boolean {
    return this.#inputs.length > 0;
  }

  /** True while `ingest` would take something. */
  get hungry(): boolean {
    return this.waiting && this.#backlog() < MAX_BACKLOG;
  }

  /** Takes one input: detects and cuts segments without decoding them. @returns the bytes of audio consumed */
  async ingest(): Promise<number> {
    const input = this.#inputs.shift();
    if (input === undefined) return 0;
    if (input.type === 'audio') {
      await this.#append(this.#reader.push(input.pcm));
      return input.pcm.length;
    }
    if (input.type === 'end') await this.#append(this.#reader.flush());
    if (input.type === 'end') this.#close({ end: this.#track.position, marker: null, finished: true });
    else if (input.type === 'quiet') this.#answerWaiting(this.#track.position);
    else this.#finalize(input.trailingSilenceMs);
    return 0;
  }

  /**
   * What `run` would do: 'close' makes something final, 'partial' decodes the open segment, 'progress' reports silence.
   */
  get due(): 'close' | 'partial' | 'progress' | null {
    if (this.#closings.length > 0) return 'close';
    const segment = this.#open;
    const { position } = this.#track;
    if (segment === null) return position - this.#results.reportedAt >= PROGRESS ? 'progress' : null;
    const fresh = position - Math.max(segment.decodedAt, segment.onset) >= INTERVAL;
    const spoken =
      segment.decodedAt === 0 || (segment.lastSpeechFrame + 1) * VAD_FRAME > segment.decodedAt - toSamples(100);
    const worthwhile = (spoken && segment.speechFrames >= MIN_SPEECH_FRAMES) || this.#backlog() >= MAX_BACKLOG;
    return fresh && worthwhile ? 'partial' : null;
  }

  /** Runs the step that is due; null if none is. */
  async run(): Promise<StreamResult | null> {
    const closing = this.#closings.shift();
    if (closing !== undefined) return this.#finish(closing);
    const due = this.due;
    if (due === 'partial' && this.#open !== null) return this.#decodeOpen(this.#open);
    return due === 'progress' ? this.#results.make([], [], toMs(this.#track.position), false) : null;
  }

  /** Samples of speech that are not decoded yet. */
  #backlog(): number {
    const waiting = this.#closings.find(({ segment }) => segment !== null)?.segment ?? this.#open;
    return waiting === null ? 0 : this.#track.position - Math.max(waiting.decodedAt, waiting.onset);
  }

  async #append(samples: Float32Array): Promise<void> {
    await this.#track.append(samples, (frame, probability) => this.#onFrame(frame, probability));
    const held = this.#closings.find(({ segment }) => segment !== null)?.segment ?? this.#open;
    // A segment that opens now begins earlier, by its padding.
    if (!held) this.#carry.forget(this.#track.position - PADDING);
    this.#track.forgetBefore(Math.min(held?.start ?? Infinity, this.#carry.start, this.#track.position - SAMPLE_RATE));
  }

  #onFrame(frame: number, probability: number): void {
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
    }
    const at = (frame + 1) * VAD_FRAME;
    for (const asked of this.#waiting.takeSaid(segment, at)) this.#finalizeLater(segment, at, asked);
    if (frame - segment.lastSpeechFrame >= this.#endpointFrames) {
      this.#close({
        end: (segment.lastSpeechFrame + 1) * VAD_FRAME + PADDING,
        marker: this.#options.endpointDetection === true ? '<end>' : null,
        finished: false,
      });
    }
  }

  /** Where speech ends if the client has seen silence after it; never before the last frame of speech. */
  #endOfSpeech(trailingSilenceMs = 0): number {
    const { position } = this.#track;
    if (trailingSilenceMs <= 0) return position;
    const heard = this.#open === null ? 0 : (this.#open.lastSpeechFrame + 1) * VAD_FRAME;
    return Math.min(position, Math.max(heard, position - toSamples(trailingSilenceMs)) + PADDING);
  }

  /**
   * Makes everything final. In the middle of speech it waits for the end of the word, so that repeated calls do not
   * change the words (CON-17).
   */
  #finalize(trailingSilenceMs = 0): void {
    const segment = this.#open;
    const { position } = this.#track;
    if (segment !== null && isSpeaking(segment, position, trailingSilenceMs)) this.#waiting.add(position);
    else if (segment !== null && trailingSilenceMs <= 0)
      this.#finalizeLater(segment, position, { askedAt: position, speaking: false });
    else this.#close({ end: this.#endOfSpeech(trailingSilenceMs), marker: '<fin>', finished: false });
  }

  /** Answers the finalizes that wait, because no more of the word comes. */
  #answerWaiting(end: number): void {
    for (const _ of this.#waiting.takeAll()) this.#close({ end, marker: '<fin>', finished: false });
  }

  #finalizeLater(segment: OpenSegment, at: number, goesOn: Asked): void {
    this.#closings.push({ segment, end: at, marker: '<fin>', finished: false, at, goesOn });
  }

  #close({ end, marker, finished }: Pick<Closing, 'end' | 'marker' | 'finished'>): void {
    this.#answerWaiting(end);
    this.#closings.push({ segment: this.#open, end, marker, finished, at: this.#track.position, goesOn: null });
    this.#open = null;
    this.#lastEnd = Math.max(this.#lastEnd, end);
  }

  async #finish({ segment, end, marker, finished, at, goesOn }: Closing): Promise<StreamResult> {
    if (goesOn !== null && segment !== null) return this.#finalizeOpen(segment, at, goesOn);
    const final: LiveToken[] = [];
    let spoken = false;
    if (segment !== null && (segment.speechFrames >= MIN_SPEECH_FRAMES || segment.everCommitted)) {
      continueFrom(segment, this.#carry);
      const heard = await withSecondChance((trim) =>
        this.#decode(segment, { start: segment.shortened ? 0 : trim, end: end - trim }),
      );
      const pieces = this.#wants(segment, heard) ? heard : [];
      spoken = segment.everCommitted || pieces.length > 0;
      final.push(...this.#results.final(pieces, at));
      this.#carry.keep([...segment.committed, ...pieces], end);
    }
    if (marker === '<fin>' || (marker === '<end>' && spoken)) final.push(this.#results.mark(marker, toMs(at)));
    return this.#results.make(final, [], toMs(at), finished);
  }

  /** Makes the words of a segment final that stays open; a half-said last word becomes final with the next ones. */
  async #finalizeOpen(segment: OpenSegment, at: number, { askedAt, speaking }: Asked): Promise<StreamResult> {
    const enough = segment.speechFrames >= MIN_SPEECH_FRAMES;
    continueFrom(segment, this.#carry);
    const pieces = enough ? await this.#decode(segment, { start: 0, end: at, least: SAMPLE_RATE }) : [];
    const speech = speaking ? { askedMs: toMs(askedAt), nowMs: toMs(at) } : null;
    const final = this.#wants(segment, pieces) ? finalOnDemand(pieces, speech) : [];
    segment.decodedAt = Math.max(segment.decodedAt, at);
    segment.committed.push(...final);
    segment.everCommitted ||= final.length > 0;
    segment.previous = pieces.slice(final.length);
    const finalMs = speaking ? (segment.committed.at(-1)?.endMs ?? toMs(segment.onset)) : toMs(at);
    const tokens = this.#results.final(final, at);
    return this.#results.make(
      [...tokens, this.#results.mark('<fin>', Math.max(finalMs, this.#results.finalMs))],
      [],
      finalMs,
      false,
    );
  }

  async #decodeOpen(segment: OpenSegment): Promise<StreamResult> {
    const now = this.#track.position;
    const looked = segment.everCommitted || segment.decodedAt - segment.onset >= FIRST_CONTEXT;
    continueFrom(segment, this.#carry);
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
    return this.#results.make(
      this.#results.final(final, now),
      this.#results.nonFinal(wanted ? presentable(rest) : [], now),
      finalMs ?? toMs(segment.onset),
      false,
    );
  }

  /**
   * Decodes a segment. Returns the pieces after its final ones, with times from the start of the stream.
   * @param range.start samples to skip at the segment's start
   * @param range.end position of the end
   * @param range.least shortest audio, in samples; silence fills it up
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
    return (segment.everCommitted ? after : withoutLeadingStop(after)).map((piece) => {
      const endMs = Math.min(offset + piece.endMs, untilMs);
      return { ...piece, endMs, startMs: this.#track.speechStartMs(Math.min(offset + piece.startMs, untilMs), endMs) };
    });
  }

  #wants(segment: OpenSegment, pieces: readonly Piece[]): boolean {
    return isWanted([...segment.committed, ...pieces], this.#options);
  }
}
