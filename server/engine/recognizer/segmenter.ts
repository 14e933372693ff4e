import { SPEECH_OFF, SPEECH_ON, VAD_FRAME, VAD_FRAME_MS } from './vad.ts';
import { toSamples } from './speech-track.ts';

/** A stretch of speech in samples from the start of the recording, with a little silence around it. */
export interface Segment {
  start: number;
  end: number;
}

/** Shorter pauses stay inside a segment, because the recognizer does better with whole sentences. */
const SILENCE_FRAMES = Math.round(800 / VAD_FRAME_MS);
/** Longest segment: the recognizer loops on longer audio. */
const MAX_FRAMES = Math.floor(20_000 / VAD_FRAME_MS);
const MIN_SPEECH_FRAMES = Math.ceil(100 / VAD_FRAME_MS);
const PADDING = toSamples(150);

/** Cuts a recording into segments of speech, one frame's speech probability at a time. */
export class Segmenter {
  #frame = 0;
  #first = -1;
  #last = -1;
  #probabilities: number[] = [];
  /** Whether the open segment continues one that was cut inside speech. */
  #continued = false;
  #previousEnd = 0;

  /** First sample that may belong to a segment not yet returned. */
  get openFrom(): number {
    return this.#first < 0
      ? Math.max(this.#previousEnd, this.#frame * VAD_FRAME - PADDING)
      : Math.max(this.#previousEnd, this.#first * VAD_FRAME - PADDING);
  }

  /** @returns the segment that this frame completes, if any */
  push(probability: number): Segment | undefined {
    const frame = this.#frame;
    this.#frame += 1;
    if (this.#first < 0) {
      if (probability >= SPEECH_ON) this.#open(frame, [probability], false);
      return undefined;
    }
    this.#probabilities.push(probability);
    if (probability >= SPEECH_OFF) this.#last = frame;
    if (frame - this.#last >= SILENCE_FRAMES) return this.#close();
    if (frame - this.#first + 1 >= MAX_FRAMES) return this.#split();
    return undefined;
  }

  /** The segment that the end of the recording completes, if any. */
  flush(): Segment | undefined {
    return this.#first < 0 ? undefined : this.#close();
  }

  #open(first: number, probabilities: number[], continued: boolean): void {
    this.#first = first;
    this.#last = first + probabilities.findLastIndex((probability) => probability >= SPEECH_OFF);
    this.#probabilities = probabilities;
    this.#continued = continued;
  }

  #close(): Segment | undefined {
    const speech = this.#last - this.#first + 1;
    const segment =
      speech >= (this.#continued ? 1 : MIN_SPEECH_FRAMES)
        ? this.#segment((this.#last + 1) * VAD_FRAME + PADDING)
        : undefined;
    this.#first = -1;
    return segment;
  }

  /** Cuts the open segment at the quietest frame of its second half. */
  #split(): Segment {
    let cut = this.#probabilities.length - 1;
    let quietest = Infinity;
    for (let index = MAX_FRAMES >> 1; index < this.#probabilities.length - 1; index += 1) {
      const around =
        (this.#probabilities[index - 1] ?? 1) +
        (this.#probabilities[index] ?? 1) +
        (this.#probabilities[index + 1] ?? 1);
      if (around <= quietest) {
        quietest = around;
        cut = index;
      }
    }
    const first = this.#first + cut;
    const segment = this.#segment(first * VAD_FRAME);
    this.#open(first, this.#probabilities.slice(cut), true);
    return segment;
  }

  #segment(end: number): Segment {
    const start = this.#continued ? this.#previousEnd : this.openFrom;
    this.#previousEnd = end;
    return { start: Math.max(0, start), end };
  }
}
