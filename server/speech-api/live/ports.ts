import type { LiveConfig } from '#contract/live.ts';
import type { Catalogue } from '../models/catalogue.ts';
import type { SttEngine } from '../../engine/port.ts';
import type { OpenDecoder } from './audio-path.ts';
import type { Clock } from '../../platform/clock.ts';
import type { LiveLimits } from './limits.ts';
import type { LiveRefusal } from './refusal.ts';
import type { StartRequest } from './start-request.ts';

/** What a session needs of its connection. */
export interface LiveConnection {
  /** Calls `flushed` once the frame has left this process; never if the connection breaks first. */
  send(frame: string, flushed: () => void): void;
  /** Sends a close frame after everything sent before. */
  close(code: number): void;
  /** Stops reading, which slows the client down without losing frames. */
  pause(): void;
  resume(): void;
  /** Bytes sent that have not left this process yet. */
  pendingBytes(): number;
}

type SessionStatus = 'completed' | 'failed' | 'aborted';

/** How a session ended. */
export interface SessionSummary {
  status: SessionStatus;
  /** Audio that is charged, milliseconds. */
  audioMs: number;
  refusal: LiveRefusal | null;
}

/** The place of an admitted stream. */
export interface Admission {
  /** Longest stream that the key allows, milliseconds; null for no limit of its own. */
  maxDurationMs: number | null;
  /** Price of this much audio in US dollars, as decimal text; null without a price, or if the caller never sees it. */
  costOf(audioMs: number): string | null;
  /** Audio reserved at admission, milliseconds. */
  reservedMs: number;
  /**
   * Reserves up to a minute of audio beyond `reservedMs`, or the rest that the limits allow.
   * @returns all audio reserved so far, milliseconds
   * @throws LiveRefusal
   */
  extend(reservedMs: number): Promise<number>;
  /** Whether the last frame names the session, so that the client can keep it as a transcription. */
  isKeepable: boolean;
  /**
   * Gives the place back and writes down how the session ended. Called once. Resolves once another stream can have the
   * place, or after a second; never rejects.
   */
  release(summary: SessionSummary): Promise<void> | undefined;
}

/** Admits the session of one connection. */
export interface Gate {
  /** Checks the key of the handshake or of the start request. @throws LiveRefusal */
  authenticate(config: LiveConfig): Promise<Authenticated>;
}

/** A connection whose key is valid. */
export interface Authenticated {
  /**
   * Takes a place for the stream, and uses up a single-use key. If it throws, neither has happened.
   * @param open opens the engine's stream if the engine is ready; called last, so that its error undoes the rest
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
  /** Address of the documentation of an error type. */
  moreInfo(type: string): string;
  /** Called once, when the session is over; its last frame may still be on its way. */
  ended(summary: SessionSummary): void;
}
