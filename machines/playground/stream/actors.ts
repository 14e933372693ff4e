import type { LiveResult } from '#contract/live.ts';
import type { LiveError } from '../live/errors.ts';
import { callbackPlaceholder } from '../../shared/placeholder.ts';
import type { KeylessLiveConfig } from '../settings/types.ts';
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
  | { type: 'audio.chunk'; pcm: ArrayBuffer }
  | { type: 'playback.progressed'; positionMs: number; durationMs: number }
  | { type: 'playback.ended' }
  | { type: 'capture.stopped' }
  | { type: 'capture.failed'; error: LiveError };

/** Opens the microphone or the file when it starts; releases every track, node and element when it stops. */
export const capture = callbackPlaceholder<CaptureCommand, AudioSource>('capture');

/**
 * To `socket`. `connect.requested`, at most once: fetch a temporary key, open the socket, send the first frame. Chunks
 * before it opens are queued, at most 100. `audio.ended` sends the empty text frame after the queue; before the socket
 * is open, even if it never connected, it closes instead and answers `socket.closed` with code 1000.
 */
export type SocketCommand =
  | { type: 'connect.requested'; config: KeylessLiveConfig }
  | { type: 'audio.chunk'; pcm: ArrayBuffer }
  | { type: 'finalize.requested' }
  | { type: 'audio.ended' };

/**
 * From `socket`. `socket.refused`: an error frame, a failed key or a full queue; `socket.failed`: the browser's error
 * event, or too long without a message. Ignore what follows these two. `socket.closed` ends every session.
 */
export type SocketEvent =
  | { type: 'socket.opened' }
  | { type: 'socket.received'; result: LiveResult }
  | { type: 'socket.refused'; error: LiveError }
  | { type: 'socket.closed'; code: number; reason: string }
  | { type: 'socket.failed' };

/** One live socket with keep-alive and watchdog. It closes when the actor stops, and keeps the key to itself. */
export const socket = callbackPlaceholder<SocketCommand>('socket');
