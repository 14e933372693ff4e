/**
 * The stream of what changes elsewhere: read by fetch, so that the token goes into a header and never into an address.
 */
import { createParser } from 'eventsource-parser';
import { fromCallback, type EventObject } from 'xstate';
import * as v from 'valibot';
import { followEvents } from '#contract/api/memberships.ts';
import { ConsoleEvent, EVENT_HEARTBEAT_MS } from '#contract/events.ts';
import { PAGE_HEADER } from '#contract/session.ts';
import type { StreamEvent } from '#machines/workspace/events/actors.ts';
import type { SessionPort } from '../session/port.ts';

/** After so long without a word the connection counts as dead, milliseconds. */
const SILENCE_MAX_MS = 3 * EVENT_HEARTBEAT_MS;
const UNAUTHENTICATED = 401;

export type EventStreamOptions = {
  pageUrl: () => URL;
  /** The id that the page sends with its calls: the server marks its own changes for it. */
  pageId: string;
  session: SessionPort;
  /** A stream begins with a word to read everything again: it opens when the page has drawn what it has. */
  atRest: () => Promise<void>;
};

/**
 * The `eventStream` actor. A refusal says nothing of the session: the clock of the page may be slow, and the next call
 * asks for a new token. Only the server's own word that the session has ended ends it here.
 */
export const createEventStream = ({ pageUrl, pageId, session, atRest }: EventStreamOptions) =>
  fromCallback<EventObject, void>(({ sendBack }) => {
    const ended = new AbortController();
    const report = (event: StreamEvent) => {
      if (!ended.signal.aborted) sendBack(event);
    };
    const watch = new Silence(() => {
      report({ type: 'stream.failed' });
      ended.abort();
    });

    async function follow(): Promise<void> {
      await atRest();
      const tokens = await session.tokens(ended.signal);
      if (!tokens) return;
      watch.restart();
      const headers = {
        accept: 'text/event-stream',
        authorization: `Bearer ${tokens.access}`,
        [PAGE_HEADER]: pageId,
      };
      const answer = await fetch(new URL(followEvents.path, pageUrl()), {
        headers,
        cache: 'no-store',
        signal: ended.signal,
      });
      if (!answer.ok || !answer.body) throw new Error(`The stream of events was answered ${answer.status}.`);
      report({ type: 'stream.opened' });
      for await (const event of eventsOf(answer.body, () => watch.restart())) {
        if (event.type === 'session.ended') {
          if (event.reason === 'account_deleted') session.deleted();
          else session.refused(tokens.access, UNAUTHENTICATED);
        } else report({ type: 'stream.received', event });
      }
    }

    follow()
      .then(
        () => report({ type: 'stream.ended' }),
        () => report({ type: 'stream.failed' }),
      )
      .finally(() => watch.stop());
    return () => {
      ended.abort();
      watch.stop();
    };
  });

/** Calls back after a long silence. */
class Silence {
  readonly #onSilence: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  constructor(onSilence: () => void) {
    this.#onSilence = onSilence;
  }
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onSilence, SILENCE_MAX_MS);
  }
  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** The events of a stream; calls `onRead` for comments, too. An event that this page does not know becomes `resync`. */
async function* eventsOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onRead: () => void,
): AsyncGenerator<ConsoleEvent> {
  const events: ConsoleEvent[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(eventIn(data)) });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    onRead();
    parser.feed(read.value);
    yield* events.splice(0);
  }
}

const PushedEvent = v.pipe(v.string(), v.parseJson(), ConsoleEvent);

function eventIn(data: string): ConsoleEvent {
  const parsed = v.safeParse(PushedEvent, data);
  return parsed.success ? parsed.output : { type: 'resync' };
}
