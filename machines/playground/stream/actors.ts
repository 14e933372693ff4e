import type { LiveResult } from '#contract/live.ts';
import type { LiveError } from '../live/errors.ts';
import { callbackPlaceholder } from '../../shared/placeholder.ts';
import type { KeylessLiveConfig } from '../settings/types.ts';
import type { PickedFile } from '../upload/actors.ts';

/** Where the sound comes from; a null device is the browser's own choice. A file plays in real time from `fromMs` and is heard while it plays. */
export type AudioSource =
  | { source: 'microphone'; deviceId: string | null }
  | { source: 'file'; file: PickedFile; fromMs: number };

/** Orders to `capture`. Microphone: start and stop recording. File: start and stop playing. */
export type CaptureCommand = { type: 'capture.start' } | { type: 'capture.stop' };

/**
 * What `capture` sends back. `media.granted` (or `media.refused`) once, without being asked; chunks of s16le of about
 * 120 ms, at most 60000 bytes, after `capture.start`; `capture.stopped` after `capture.stop`, once the last part of a
 * chunk has been sent. `capture.failed` when the device or the file gives out meanwhile.
 */
export type CaptureEvent =
  | { type: 'media.granted'; sampleRate: number; channels: number }
  | { type: 'media.refused'; error: LiveError }
  | { type: 'audio.chunk'; pcm: ArrayBuffer }
  | { type: 'playback.progressed'; positionMs: number; durationMs: number }
  | { type: 'playback.ended' }
  | { type: 'capture.stopped' }
  | { type: 'capture.failed'; error: LiveError };

/** Opens the microphone or the file at once; its clean-up releases every track, node and element. */
export const capture = callbackPlaceholder<CaptureCommand, AudioSource>('capture');

/**
 * Orders to `socket`. `connect.requested` comes at most once: fetch a temporary key, open, send the first frame with it.
 * Chunks may come before it is open (queued, at most 100). `audio.ended` sends the empty text frame after what is queued;
 * before the socket is open it closes instead and answers `socket.closed` with code 1000, also if it never connected.
 */
export type SocketCommand =
  | { type: 'connect.requested'; config: KeylessLiveConfig }
  | { type: 'audio.chunk'; pcm: ArrayBuffer }
  | { type: 'finalize.requested' }
  | { type: 'audio.ended' };

/**
 * What `socket` sends back. `socket.refused`: an error frame, a failed key, a full queue; `socket.failed`: the browser's
 * error event, or no message for too long; neither is followed by anything that matters. `socket.closed` ends every session.
 */
export type SocketEvent =
  | { type: 'socket.opened' }
  | { type: 'socket.received'; result: LiveResult }
  | { type: 'socket.refused'; error: LiveError }
  | { type: 'socket.closed'; code: number; reason: string }
  | { type: 'socket.failed' };

/** One live socket, with keep-alive and watchdog inside; its clean-up closes it. The key never leaves it. */
export const socket = callbackPlaceholder<SocketCommand>('socket');
