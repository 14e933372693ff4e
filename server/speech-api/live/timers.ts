import type { AudioCount } from './audio-count.ts';
import type { AudioPath } from './audio-path.ts';
import type { LiveTimer } from './life.ts';
import type { LiveLimits } from './limits.ts';
import type { Admission } from './ports.ts';
import { refusal, type LiveRefusal } from './refusal.ts';

/** What a session knows when a timer runs out. */
interface AtExpiry {
  limits: LiveLimits;
  audio: AudioCount;
  path: AudioPath | null;
  /** The refusal with which the session was to end after the engine's last result. */
  verdict: LiveRefusal | null;
}

interface TimerRow {
  /** Milliseconds; null for a session without such a limit. */
  length(limits: LiveLimits, admission: Admission | null): number | null;
  /** The refusal with which the session ends when the timer runs out; null if it goes on. */
  refusal(known: AtExpiry): LiveRefusal | null;
  /** The timer runs out if the engine does not answer: only audio that its results cover is charged. */
  isOfEngine?: true;
}

const SECOND_MS = 1000;

/** How long each timer of a session runs, and what it ends the session with. */
export const TIMERS: Record<LiveTimer, TimerRow> = {
  start: { length: (limits) => limits.startTimeoutMs, refusal: refusal.startTimeout },
  idle: {
    length: (limits) => limits.idleTimeoutMs,
    refusal: ({ audio }) => (audio.hasAudio ? refusal.idle() : refusal.noFirstAudio()),
  },
  duration: { length: (limits) => limits.maxDurationMs, refusal: refusal.tooLong },
  key: { length: (_limits, admission) => admission?.maxDurationMs ?? null, refusal: refusal.keySessionOver },
  slow: {
    length: (limits) => limits.slowWindowMs,
    refusal: ({ audio, limits }) => (audio.sinceSlowCheckMs < limits.slowAudioMs ? refusal.inputTooSlow() : null),
  },
  decode: {
    length: (limits) => limits.decodeTimeoutMs,
    refusal: ({ path }) => path?.doubt() ?? refusal.decodeTimeout(),
  },
  unready: { length: (limits) => limits.stalledEngineMs, refusal: refusal.unavailable, isOfEngine: true },
  reader: { length: (limits) => limits.slowReaderTimeoutMs, refusal: refusal.slowReader },
  stalled: { length: (limits) => limits.stalledEngineMs, refusal: () => refusal.cannotContinue(5), isOfEngine: true },
  finish: {
    length: (limits) => limits.finishTimeoutMs,
    refusal: ({ verdict }) => verdict ?? refusal.cannotContinue(2),
    isOfEngine: true,
  },
  second: { length: () => SECOND_MS, refusal: () => null },
};
