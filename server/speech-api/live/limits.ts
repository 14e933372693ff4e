/** Bounds of one live session; times in milliseconds, sizes in bytes. */
export interface LiveLimits {
  /** From the open socket to the start request. */
  startTimeoutMs: number;
  /** Without audio, finalize or keepalive. */
  idleTimeoutMs: number;
  /** Longest session, by the clock and by the audio sent. */
  maxDurationMs: number;
  /** From the end of the audio to the last result, as long as none comes in between. */
  finishTimeoutMs: number;
  /** How long the engine may take nothing while audio waits for it. */
  stalledEngineMs: number;
  /** How long a client may leave results unread once {@link outgoingBytes} of them wait. */
  slowReaderTimeoutMs: number;
  /** A time in which audio frames come, but neither keepalive nor finalize, holds at least {@link slowAudioMs} of sound. */
  slowWindowMs: number;
  slowAudioMs: number;
  /** From the first bytes of a container to the first sound in it. */
  decodeTimeoutMs: number;
  /** Bytes of a container that may come before there is sound in it. */
  undecodedBytes: number;
  /** Audio held for an engine that is not ready or behind, before the socket is paused. */
  incomingBytes: number;
  /** Results held for a slow reader, before its audio is no longer read. */
  outgoingBytes: number;
  /** Audio of one session altogether, as it came. */
  totalBytes: number;
  /** Frames read within a second; the rest waits for the next one. */
  framesPerSecond: number;
}

export const LIVE_LIMITS: LiveLimits = {
  startTimeoutMs: 10_000,
  idleTimeoutMs: 20_000,
  maxDurationMs: 300 * 60_000,
  finishTimeoutMs: 60_000,
  stalledEngineMs: 120_000,
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
