/** Bounds of one live session; times in milliseconds, sizes in bytes. */
export interface LiveLimits {
  /** From the open socket to the start request. */
  startTimeoutMs: number;
  /** Without audio, finalize or keepalive. */
  idleTimeoutMs: number;
  /** Longest session, by the clock and by the audio sent. */
  maxDurationMs: number;
  /** From the end of the audio to the last result. */
  finishTimeoutMs: number;
  /** How long a client may leave results unread once {@link outgoingBytes} of them wait. */
  slowReaderTimeoutMs: number;
  /** Audio held for an engine that is not ready or behind, before the socket is paused. */
  incomingBytes: number;
  /** Results held for a slow reader, before its audio is no longer read. */
  outgoingBytes: number;
  /** Streams of one project at the same time. */
  concurrentStreams: number;
  /** Streams of all projects of one organization at the same time. */
  organizationStreams: number;
  /** Streams that one project may start within a minute. */
  startsPerMinute: number;
}

export const LIVE_LIMITS: LiveLimits = {
  startTimeoutMs: 10_000,
  idleTimeoutMs: 20_000,
  maxDurationMs: 300 * 60_000,
  finishTimeoutMs: 60_000,
  slowReaderTimeoutMs: 30_000,
  incomingBytes: 1 << 20,
  outgoingBytes: 1 << 20,
  concurrentStreams: 10,
  organizationStreams: 20,
  startsPerMinute: 100,
};
