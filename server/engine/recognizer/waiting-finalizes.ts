import type { Asked, OpenSegment } from './live-segment.ts';
import { toSamples } from './speech-track.ts';
import { VAD_FRAME } from './vad.ts';

/** The first words of a segment become final only with this much audio: decoded from less, they are a guess. */
export const FIRST_CONTEXT = toSamples(1400);
/** Speech counts as going on until it is silent for this long: its last word may be incomplete. */
const SPEAKING = toSamples(300);
/** The same if the client has seen silence, too. */
const SPEAKING_BEFORE_SILENCE = toSamples(130);
/** A finalize inside speech waits for this much more of it, so that the word that is being said is heard whole. */
const LOOKAHEAD = toSamples(700);

/** Whether speech goes on at a position, for a client that has seen so much silence before it. */
export const isSpeaking = (segment: OpenSegment, at: number, trailingSilenceMs = 0): boolean =>
  at - (segment.lastSpeechFrame + 1) * VAD_FRAME < (trailingSilenceMs > 0 ? SPEAKING_BEFORE_SILENCE : SPEAKING);

/** The finalizes of a stream that wait, because a word was being said. Positions in samples. */
export class WaitingFinalizes {
  readonly #askedAt: number[] = [];

  add(position: number): void {
    this.#askedAt.push(position);
  }

  /** Takes those whose last word is said: speech pauses at this position, or has gone on for long enough. */
  takeSaid(segment: OpenSegment, at: number): Asked[] {
    const speaking = isSpeaking(segment, at);
    const isDone = (askedAt: number): boolean =>
      !speaking || at >= Math.max(askedAt + LOOKAHEAD, segment.onset + FIRST_CONTEXT);
    const waiting = this.#askedAt.findIndex((askedAt) => !isDone(askedAt));
    const taken = this.#askedAt.splice(0, waiting < 0 ? Infinity : waiting);
    return taken.map((askedAt) => ({ askedAt, speaking }));
  }

  /** Takes all, because no more of the word comes. */
  takeAll(): number[] {
    return this.#askedAt.splice(0);
  }
}
