import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { EVENT_STREAMS_MAX } from '#contract/events.ts';
import type { Services } from '../../platform/context.ts';
import type { SignedIn } from '../../platform/callers.ts';
import { limitReached, unauthenticated } from '../../platform/refusal.ts';
import { EVENTS_CHANNEL, NoticeOfPage, type Notice } from './notices.ts';
import { eventFor, isRescoping, NOTHING, readScope, type Scope } from './scope.ts';
import { EventStream } from './stream.ts';

/** A person with open streams. */
interface Reader {
  userId: string;
  scope: Scope;
  streams: Set<EventStream>;
}

/** Longest life of a stream. A token signed while the clock was ahead may expire later than a timer can wait. */
const STREAM_MAX_MS = 3600_000;

type Parts = Pick<Services, 'db' | 'database' | 'clock' | 'log'>;

/**
 * Sends the changes that the database announces to the streams of the people who see them. Takes changes one by one, in
 * the order of their commits. A change that may alter a person's scope reads the scope again first, so nobody hears of
 * what they no longer see.
 */
export class EventHub {
  readonly #parts: Parts;
  readonly #readers = new Map<string, Reader>();
  /** Streams by session id, to end them with the session. */
  readonly #sessions = new Map<string, Set<EventStream>>();
  #listening: Promise<() => void> | undefined;
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Opens a stream, which begins with a `resync`. It ends with its access token, its session, or the server.
   * @param page the page that reads it, if the console does
   * @param cut breaks the connection
   * @throws Refusal limit if the person has {@link EVENT_STREAMS_MAX} streams, unauthenticated if the session has ended
   */
  async open(user: SignedIn, { page, cut }: { page: string | undefined; cut: () => void }): Promise<EventStream> {
    const reader = this.#readers.get(user.userId) ?? { userId: user.userId, scope: NOTHING, streams: new Set() };
    if (reader.streams.size >= EVENT_STREAMS_MAX)
      throw limitReached(
        `There are ${EVENT_STREAMS_MAX} streams of events for this account, the most there can be. Close some pages.`,
      );
    const stream = new EventStream({
      page,
      cut,
      onGone: () => this.#forget(reader, stream, user.sessionId, () => clearTimeout(expiry)),
    });
    const expiry = setTimeout(
      () => stream.end(),
      Math.min(STREAM_MAX_MS, Math.max(0, user.accessExpiresAt * 1000 - this.#parts.clock().getTime())),
    );
    expiry.unref();
    this.#readers.set(user.userId, reader);
    reader.streams.add(stream);
    this.#sessions.set(user.sessionId, (this.#sessions.get(user.sessionId) ?? new Set()).add(stream));
    try {
      await this.#listen();
      await this.#inTurn(() => this.#begin(reader, stream, user.sessionId));
    } catch (error) {
      stream.end();
      await stream.body.cancel();
      throw error;
    }
    return stream;
  }

  /** Ends all streams; no more are opened. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const reader of this.#readers.values()) for (const stream of reader.streams) stream.end();
    const listening = this.#listening;
    if (listening) (await listening)();
    await this.#work;
  }

  /** Starts a stream: its page reads everything once, and gets each later change. @throws Refusal unauthenticated */
  async #begin(reader: Reader, stream: EventStream, sessionId: string): Promise<void> {
    const { db } = this.#parts;
    const session = await db
      .selectFrom('sessions')
      .select('id')
      .where('id', '=', sessionId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    if (!session) throw unauthenticated();
    const before = reader.scope;
    reader.scope = await readScope(db, reader.userId);
    stream.push({ type: 'resync' });
    // The notice of this change comes later, finds the scope already read, and sends nothing. So the reader's other
    // pages read again now.
    if (!isDeepStrictEqual(before, reader.scope))
      for (const other of reader.streams) if (other !== stream) other.push({ type: 'resync' });
    if (this.#isClosed) stream.end();
  }

  async #listen(): Promise<void> {
    this.#listening ??= this.#parts.database.listen(
      EVENTS_CHANNEL,
      (payload) => this.#onNotice(payload),
      () => this.#onReconnect(),
    );
    try {
      await this.#listening;
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
  }

  #onNotice(payload: string): void {
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), NoticeOfPage), payload);
    if (!read.success) {
      this.#parts.log.error(
        { issues: read.issues.map(({ message }) => message) },
        'the database announced a change of unknown shape',
      );
      return;
    }
    const { page, ...notice } = read.output;
    this.#background(() => this.#deliver(notice, page));
  }

  /** Notices may be lost, so every page reads everything again. */
  #onReconnect(): void {
    this.#background(async () => {
      for (const reader of this.#readers.values()) {
        if (await this.#rescope(reader)) for (const stream of reader.streams) stream.push({ type: 'resync' });
      }
    });
  }

  async #deliver(notice: Notice, page: string | undefined): Promise<void> {
    if (notice.type === 'session.ended') {
      const { type, session, reason } = notice;
      for (const stream of this.#sessions.get(session) ?? []) stream.end({ type, ...(reason && { reason }) });
      return;
    }
    for (const reader of this.#readers.values()) {
      const before = reader.scope;
      if (isRescoping(notice, reader.userId, before) && !(await this.#rescope(reader))) continue;
      const event = eventFor(notice, reader.userId, { before, now: reader.scope });
      if (event === undefined) continue;
      for (const stream of reader.streams)
        stream.push(page !== undefined && stream.page === page ? { ...event, own: true } : event);
    }
  }

  /** Reads a reader's scope again. If that fails, ends the streams and returns false; the pages reconnect later. */
  async #rescope(reader: Reader): Promise<boolean> {
    try {
      reader.scope = await readScope(this.#parts.db, reader.userId);
      return true;
    } catch (error) {
      this.#parts.log.error({ err: error }, 'ended event streams: could not read what their reader may see');
      reader.scope = NOTHING;
      for (const stream of reader.streams) stream.end();
      return false;
    }
  }

  #forget(reader: Reader, stream: EventStream, sessionId: string, stopExpiry: () => void): void {
    stopExpiry();
    reader.streams.delete(stream);
    if (reader.streams.size === 0 && this.#readers.get(reader.userId) === reader) this.#readers.delete(reader.userId);
    const ofSession = this.#sessions.get(sessionId);
    ofSession?.delete(stream);
    if (ofSession?.size === 0) this.#sessions.delete(sessionId);
  }

  /** Runs a step after all steps before it. */
  #inTurn(step: () => Promise<void>): Promise<void> {
    const turn = this.#work.then(step);
    this.#work = turn.catch(() => undefined);
    return turn;
  }

  #background(step: () => Promise<void>): void {
    this.#inTurn(step).catch((error: unknown) =>
      this.#parts.log.error({ err: error }, 'could not send a change to the pages'),
    );
  }
}
