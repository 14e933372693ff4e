import { SAMPLE_RATE } from '../port.ts';
import type { Piece } from './recognizer.ts';
import { toSamples } from './speech-track.ts';
import type { SpeechTrack } from './speech-track.ts';
import { SPEECH_OFF, VAD_FRAME, VAD_FRAME_MS } from './vad.ts';

/** A pause of at least so many frames may separate two turns. */
const TURN_GAP_FRAMES = 8;
/** Voices closer than this count as one: a lively speaker may span it, so speakers of similar pitch share a label. */
const SAME_VOICE_SEMITONES = 5;
/** Fewest voiced windows to recognize a known voice, and to add a new one. */
const MIN_VOICED = 4;
const MIN_VOICED_NEW = 14;
/** Measures the pitch of so much of a turn, samples. */
const TURN_MAX = 3 * SAMPLE_RATE;
const PITCH_WINDOW = 640;
const PITCH_STEP = 480;
const MIN_HERTZ = 70;
const MAX_HERTZ = 400;
/** Autocorrelation above which a window is voiced. */
const VOICED_MIN = 0.6;

/** Pitch of one window in semitones above 1 Hz; null if it is not voiced. */
function pitch(samples: Float32Array, at: number): number | null {
  let best = 0;
  let period = 0;
  for (let lag = Math.floor(SAMPLE_RATE / MAX_HERTZ); lag <= SAMPLE_RATE / MIN_HERTZ; lag += 2) {
    let product = 0;
    let one = 1e-9;
    let two = 1e-9;
    for (let index = at; index < at + PITCH_WINDOW - lag; index += 4) {
      const a = samples[index] ?? 0;
      const b = samples[index + lag] ?? 0;
      product += a * b;
      one += a * a;
      two += b * b;
    }
    const likeness = product / Math.sqrt(one * two);
    // Twice the period correlates as well as the period itself, so a longer one must be clearly better.
    if (likeness > best * 1.05) {
      best = likeness;
      period = lag;
    }
  }
  return best < VOICED_MIN ? null : 12 * Math.log2(SAMPLE_RATE / period);
}

/** Median pitch of speech in semitones above 1 Hz, and the number of voiced windows; null if too few are. */
export function medianPitch(samples: Float32Array): { semitones: number; voiced: number } | null {
  const found: number[] = [];
  for (let at = 0; at + PITCH_WINDOW <= samples.length; at += PITCH_STEP) {
    const value = pitch(samples, at);
    if (value !== null) found.push(value);
  }
  if (found.length < MIN_VOICED) return null;
  return { semitones: found.sort((a, b) => a - b)[found.length >> 1] ?? 0, voiced: found.length };
}

interface Voice {
  semitones: number;
  turns: number;
}

/** Pieces spoken without a pause between them. */
interface Turn {
  startMs: number;
  pieces: Piece[];
}

/**
 * Labels speakers by the pitch of their voices, turn by turn. This is rough: it separates only clearly different voices
 * with pauses between their turns. Labels are '1', '2', … in order of appearance.
 */
export class Speakers {
  readonly #voices: Voice[] = [];
  /** The last labelled turn, so that a turn that becomes final in parts keeps its label. */
  #last: { startMs: number; speaker: string } = { startMs: -1, speaker: '1' };

  /**
   * Puts a speaker on each piece.
   * @param settled whether the pieces are final; only then their voices are remembered
   */
  label(pieces: readonly Piece[], track: SpeechTrack, settled: boolean): Piece[] {
    return turnsOf(pieces, track).flatMap((turn) => {
      const speaker = this.#speaker(turn, track, settled);
      return turn.pieces.map((piece) => ({ ...piece, speaker }));
    });
  }

  #speaker({ startMs, pieces }: Turn, track: SpeechTrack, settled: boolean): string {
    if (startMs === this.#last.startMs) return this.#last.speaker;
    const end = Math.min(turnEnd(pieces, track), toSamples(startMs) + TURN_MAX);
    const heard = medianPitch(track.slice(toSamples(startMs), end));
    const speaker = heard === null ? this.#last.speaker : this.#recognize(heard, settled);
    if (settled) this.#last = { startMs, speaker };
    return speaker;
  }

  #recognize({ semitones, voiced }: { semitones: number; voiced: number }, settled: boolean): string {
    const distances = this.#voices.map((voice) => Math.abs(voice.semitones - semitones));
    const nearest = distances.indexOf(Math.min(...distances));
    const voice = this.#voices[nearest];
    const known = voice !== undefined && Math.abs(voice.semitones - semitones) <= SAME_VOICE_SEMITONES;
    if (voice === undefined || (!known && voiced >= MIN_VOICED_NEW)) {
      if (settled) this.#voices.push({ semitones, turns: 1 });
      return String(settled ? this.#voices.length : this.#voices.length + 1);
    }
    if (settled && known) {
      voice.turns += 1;
      voice.semitones += (semitones - voice.semitones) / voice.turns;
    }
    return String(nearest + 1);
  }
}

function turnsOf(pieces: readonly Piece[], track: SpeechTrack): Turn[] {
  const turns: Turn[] = [];
  for (const piece of pieces) {
    const startMs = turnStartMs(piece, track);
    const turn = turns.at(-1);
    // The rest of a word, or its punctuation, belongs to the word's turn, whatever its time.
    const begins = piece.text.startsWith(' ') && startMs > (turn?.startMs ?? 0);
    if (turn === undefined || begins) turns.push({ startMs, pieces: [piece] });
    else turn.pieces.push(piece);
  }
  return turns;
}

/** Sample at which the turn of these pieces ends, by the pause after them or the end of the audio. */
function turnEnd(pieces: readonly Piece[], track: SpeechTrack): number {
  let silent = 0;
  let frame = Math.floor((pieces.at(-1)?.endMs ?? 0) / VAD_FRAME_MS);
  for (; frame < track.frames && silent < TURN_GAP_FRAMES; frame += 1)
    silent = track.probability(frame) >= SPEECH_OFF ? 0 : silent + 1;
  return Math.round((frame - silent) * VAD_FRAME);
}

/** Time at which the turn of a piece began: after the last pause before the piece's middle. */
function turnStartMs({ startMs, endMs }: Piece, track: SpeechTrack): number {
  let silent = 0;
  let start = Math.floor((startMs + endMs) / 2 / VAD_FRAME_MS);
  for (let frame = start; frame >= 0 && silent < TURN_GAP_FRAMES; frame -= 1) {
    if (track.probability(frame) >= SPEECH_OFF) {
      start = frame;
      silent = 0;
    } else silent += 1;
  }
  return Math.round(start * VAD_FRAME_MS);
}
