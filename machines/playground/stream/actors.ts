import type { LiveError } from '../live/errors.ts';
import { callbackPlaceholder } from '../../shared/placeholder.ts';
import type { PickedFile } from '../upload/actors.ts';

/** Source of the sound. A null device is the browser's choice. A file plays audibly in real time from `fromMs`. */
export type AudioSource =
  | { source: 'microphone'; deviceId: string | null }
  | { source: 'file'; file: PickedFile; fromMs: number };

/** To `capture`: start or stop recording the microphone, or playing the file. */
export type CaptureCommand = { type: 'capture.start' } | { type: 'capture.stop' };

/**
 * From `capture`. First `media.granted` or `media.refused`, unasked. After `capture.start` chunks of s16le of about
 * 120 ms, at most 60000 bytes. After `capture.stop` the last chunk, then `capture.stopped`. `capture.failed` if the
 * device or the file fails.
 */
export type CaptureEvent =
  | { type: 'media.granted'; sampleRate: number; channels: number }
  | { type: 'media.refused'; error: LiveError }
  /** `level` is its loudness, 0..1. */
  | { type: 'audio.chunk'; pcm: ArrayBuffer; level: number }
  | { type: 'playback.progressed'; positionMs: number; durationMs: number }
  | { type: 'playback.ended' }
  | { type: 'capture.stopped' }
  | { type: 'capture.failed'; error: LiveError };

/** Opens the microphone or the file when it starts; releases every track, node and element when it stops. */
export const capture = callbackPlaceholder<CaptureCommand, AudioSource>('capture');
