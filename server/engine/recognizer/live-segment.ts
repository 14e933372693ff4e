/** One stretch of speech of a live stream, from its onset to the pause after it. */
import type { Carry } from './carry.ts';
import { wordBoundaries } from './hypothesis.ts';
import type { Piece } from './recognizer.ts';
import { toMs, type SpeechTrack } from './speech-track.ts';
import { VAD_FRAME, VAD_FRAME_MS } from './vad.ts';

const ENDPOINT_MS = { least: 400, perDelay: 0.3, usualDelay: 2000 } as const;

/**
 * Silence that ends an utterance, for the longest wait that a client accepts (500 to 3000 ms): three tenths of it and at least 400 ms,
 * so 600 ms for the usual 2000. The last look at the utterance takes the rest of the wait.
 */
export function endpointSilenceMs(maxEndpointDelayMs: number = ENDPOINT_MS.usualDelay): number {
  return Math.max(ENDPOINT_MS.least, maxEndpointDelayMs * ENDPOINT_MS.perDelay);
}

/** Audio kept after a cut, so that the next look has some context. */
const KEEP_MS = 1000;

/** Positions in samples, piece times in ms, both from the start of the stream. */
export interface OpenSegment {
  /** Where what is decoded begins. */
  start: number;
  /** Where its own speech begins; words of the segment before may stand in front of it. */
  onset: number;
  lastSpeechFrame: number;
  speechFrames: number;
  /** Pieces told as final that the segment still holds; the decoder is forced to begin with them. */
  committed: Piece[];
  /** What the last look gave beyond the committed pieces. */
  previous: Piece[];
  /** Position of the last look, 0 before the first. */
  decodedAt: number;
  everCommitted: boolean;
  /** Its front has been dropped, so that it begins inside speech and not in the silence before. */
  shortened: boolean;
}

/** A segment whose speech begins here. */
export const openSegment = (start: number, frame: number): OpenSegment => ({
  start,
  onset: start,
  lastSpeechFrame: frame,
  speechFrames: 1,
  committed: [],
  previous: [],
  decodedAt: 0,
  everCommitted: false,
  shortened: false,
});

/** Has a segment begin with the last words of the one before, as it is looked at for the first time. */
export function goOn(segment: OpenSegment, carry: Carry): void {
  const carried = carry.take(segment.onset);
  if (carried === null || segment.decodedAt > 0) return;
  Object.assign(segment, { start: carried.start, committed: carried.pieces, shortened: true });
}

/** Drops the front of a long segment at its quietest boundary between final words. */
export function shorten(segment: OpenSegment, track: SpeechTrack, now: number): void {
  let best: { score: number; index: number; at: number } | undefined;
  for (const { index, ms, punctuated } of wordBoundaries(segment.committed)) {
    if (index * 2 < segment.committed.length || toMs(now) - ms < KEEP_MS) continue;
    const frame = Math.round(ms / VAD_FRAME_MS);
    for (let near = frame - 3; near <= frame + 3; near += 1) {
      const score = track.probability(near) - (punctuated ? 0.5 : 0) - (index / segment.committed.length) * 0.1;
      if (best === undefined || score < best.score) best = { score, index, at: near * VAD_FRAME };
    }
  }
  if (best === undefined) return;
  segment.start = Math.max(segment.start, best.at);
  segment.committed.splice(0, best.index);
  segment.shortened = true;
}
