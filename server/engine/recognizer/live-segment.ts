/** One stretch of speech of a live stream, from its onset to the pause after it. */
import type { Carry } from './carry.ts';
import { wordBoundaries } from './hypothesis.ts';
import type { Piece } from './recognizer.ts';
import { toMs, type SpeechTrack } from './speech-track.ts';
import { VAD_FRAME, VAD_FRAME_MS } from './vad.ts';

const ENDPOINT_MS = { least: 400, perDelay: 0.3, usualDelay: 2000 } as const;

/**
 * The silence, in ms, that ends an utterance: three tenths of the longest delay that the client accepts (500 to 3000
 * ms), at least 400 ms. For the default of 2000 it is 600. Decoding the utterance a last time takes the rest of the
 * delay.
 */
export function endpointSilenceMs(maxEndpointDelayMs: number = ENDPOINT_MS.usualDelay): number {
  return Math.max(ENDPOINT_MS.least, maxEndpointDelayMs * ENDPOINT_MS.perDelay);
}

/** When a client asked for what is final, and whether somebody still spoke when it was answered. */
export interface Asked {
  askedAt: number;
  speaking: boolean;
}

/** Audio kept in a shortened segment as context for the next decoding. */
const KEEP_MS = 1000;

/**
 * A segment that speech may still extend. Positions in samples, piece times in ms, both from the start of the stream.
 */
export interface OpenSegment {
  /** Where the decoded audio begins. */
  start: number;
  /** Where its own speech begins; words carried over from the last segment may precede it. */
  onset: number;
  lastSpeechFrame: number;
  speechFrames: number;
  /** Final pieces that the segment still holds; the decoder is forced to begin with them. */
  committed: Piece[];
  /** The non-final pieces of the last decoding. */
  previous: Piece[];
  /** Position at the last decoding; 0 before the first. */
  decodedAt: number;
  everCommitted: boolean;
  /** Whether it begins inside speech, because its front was dropped, and not in the silence before. */
  shortened: boolean;
}

/** Something to make final: a segment, a marker, or the end of the stream. Handled in the order they came. */
export interface Closing {
  segment: OpenSegment | null;
  end: number;
  marker: '<end>' | '<fin>' | null;
  finished: boolean;
  at: number;
  /** Not null if the segment stays open, because a cut in the middle of speech would change the words of both parts. */
  goesOn: Asked | null;
}

/** Opens a segment at a sample, whose speech begins in a frame. */
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

/** Before its first decoding, lets a segment begin with the words carried over from the last one, if any. */
export function continueFrom(segment: OpenSegment, carry: Carry): void {
  const carried = carry.take(segment.onset);
  if (carried === null || segment.decodedAt > 0) return;
  Object.assign(segment, { start: carried.start, committed: carried.pieces, shortened: true });
}

/** Drops the front of a long segment, up to its quietest boundary between final words. */
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
