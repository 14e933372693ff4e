import { SERVER_QUIET_MAX_MS } from '#contract/live.ts';

/** Bounds of one live session; times in milliseconds, sizes in bytes. */
export interface LiveLimits {
  /** From the open socket to the start request. */
  startTimeoutMs: number;
  /** Longest pause between two frames of the client (audio, finalize or keepalive). */
  idleTimeoutMs: number;
  /** Longest session; limits both its time on the clock and the length of its audio. */
  maxDurationMs: number;
  /** From the end of the audio to the next result, and from each result to the next until the last. */
  finishTimeoutMs: number;
  /**
   * How long the engine may be behind without taking input or answering a finalize; also how long it may be unready
   * after the end of the audio.
   */
  stalledEngineMs: number;
  /** How long a client may leave results unread once {@link outgoingBytes} of them wait. */
  slowReaderTimeoutMs: number;
  /**
   * At least {@link slowAudioMs} of audio must reach the engine within this window. It begins with a frame of audio,
   * or, if audio came before the engine's stream was open, when the stream opens. It ends with a keepalive, a finalize
   * or a pause of the connection.
   */
  slowWindowMs: number;
  slowAudioMs: number;
  /** From the first bytes of a container to the first decoded sound. */
  decodeTimeoutMs: number;
  /** Bytes of a container that may come before the first decoded sound. */
  undecodedBytes: number;
  /** Audio queued for an engine that is behind or not ready; at this size the socket is paused. */
  incomingBytes: number;
  /** Results that the client has not read yet; at this size the socket is paused. */
  outgoingBytes: number;
  /** All audio of one session, as received: encoded bytes count, not decoded ones. */
  totalBytes: number;
  /** Frames read per second; further frames wait for the next second. */
  framesPerSecond: number;
}

export const LIVE_LIMITS: LiveLimits = {
  startTimeoutMs: 10_000,
  idleTimeoutMs: 20_000,
  maxDurationMs: 300 * 60_000,
  finishTimeoutMs: SERVER_QUIET_MAX_MS.results,
  stalledEngineMs: SERVER_QUIET_MAX_MS.engine,
  slowReaderTimeoutMs: 30_000,
  slowWindowMs: 60_000,
  slowAudioMs: 1000,
  decodeTimeoutMs: 15_000,
  undecodedBytes: 4 << 20,
  incomingBytes: 1 << 20,
  outgoingBytes: 1 << 20,
  totalBytes: 16 * 2 ** 30,
  framesPerSecond: 2000,
};
