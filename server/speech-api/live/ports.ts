import type { LiveConfig } from '#contract/live.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { SttEngine } from '../../engine/port.ts';
import type { OpenDecoder } from './audio-path.ts';
import type { Clock } from '../../platform/clock.ts';
import type { LiveLimits } from './limits.ts';
import type { LiveRefusal } from './refusal.ts';
import type { StartRequest } from './start-request.ts';

/** The connection as a session needs it. */
export interface LiveConnection {
  /** `flushed` is called when the frame has left this process, or never if the connection breaks. */
  send(frame: string, flushed: () => void): void;
  /** Sends a close frame after everything sent before. */
  close(code: number): void;
  /** Stops and restarts reading, so that the client is slowed down and nothing is dropped. */
  pause(): void;
  resume(): void;
  /** Bytes sent that wait for the client. */
  pendingBytes(): number;
}

type SessionStatus = 'completed' | 'failed' | 'aborted';

/** How a session went, once it is over. */
export interface SessionSummary {
  status: SessionStatus;
  audioMs: number;
  refusal: LiveRefusal | null;
}

/** Who may stream, and the place that was taken for it. */
export interface Admission {
  /** A key's own bound on the length of the stream, or null. */
  maxDurationMs: number | null;
  /** What so much audio costs, as a decimal text in US dollars; null where it has no price or nobody is told. */
  costOf(audioMs: number): string | null;
  /** Sound that is reserved for the stream so far, milliseconds. */
  reservedMs: number;
  /** Reserves a minute more than so many milliseconds, or what there is. @returns what is reserved altogether @throws LiveRefusal */
  extend(reservedMs: number): Promise<number>;
  /** Whether the client is told by what the session can be kept. */
  isKeepable: boolean;
  /** Gives the place back and writes down how it went. Called once. Resolves when another stream can have the place, or after a second; never rejects. */
  release(summary: SessionSummary): Promise<void> | undefined;
}

/** One connection's way to be admitted. */
export interface Gate {
  /** Checks the key of the connection or of the start request. @throws LiveRefusal */
  authenticate(config: LiveConfig): Promise<Admitting>;
}

export interface Admitting {
  /**
   * Takes a place for the stream and uses up a key for one stream; neither where it throws.
   * @param open opens the stream where the engine is ready, once all else is granted: what it throws undoes that
   * @throws LiveRefusal
   */
  admit(request: StartRequest, open: () => void): Promise<Admission>;
}

export interface SessionParts {
  connection: LiveConnection;
  gate: Gate;
  engine: SttEngine;
  openDecoder: OpenDecoder;
  models: Catalogue;
  clock: Clock;
  limits: LiveLimits;
  requestId: string;
  /** Where more is told about an error of this type. */
  moreInfo(type: string): string;
  /** Called once, when it is over; the last frame may still be on its way. */
  ended(summary: SessionSummary): void;
}
