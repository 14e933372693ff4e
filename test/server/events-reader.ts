/** Reads a stream of events as the console does. */
import { EventSourceParserStream } from 'eventsource-parser/stream';
import * as v from 'valibot';
import { ConsoleEvent } from '#contract/events.ts';
import { PAGE_HEADER } from '#contract/session.ts';
import type { TestServer, TestUser } from './harness.ts';
import { eventually } from './eventually.ts';

export interface EventReader {
  response: Response;
  /** In order, each checked by the contract. */
  events: ConsoleEvent[];
  /** The types of what was told. */
  types: () => string[];
  /** Resolves when so many events have come, counted from the first. */
  count: (wanted: number) => Promise<void>;
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  leave: () => Promise<void>;
}

/** A stream of a user; resolves once it is open, after its first `resync`. */
export async function follow(server: Pick<TestServer, 'url'>, user: TestUser): Promise<EventReader> {
  const abort = new AbortController();
  const response = await fetch(`${server.url}/api/v2/events/`, {
    headers: { authorization: `Bearer ${user.access}`, ...(user.page !== undefined && { [PAGE_HEADER]: user.page }) },
    signal: abort.signal,
  });
  const events: ConsoleEvent[] = [];
  const ended = read(response, events, abort.signal);
  const reader: EventReader = {
    response,
    events,
    ended,
    types: () => events.map(({ type }) => type),
    count: (wanted) =>
      eventually(() => {
        if (events.length < wanted) throw new Error(`${events.length} of ${wanted} events: ${JSON.stringify(events)}`);
      }),
    leave: async () => {
      abort.abort();
      await ended;
    },
  };
  if (response.ok) await reader.count(1);
  return reader;
}

async function read(response: Response, events: ConsoleEvent[], signal: AbortSignal): Promise<void> {
  const told = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  try {
    for await (const { data } of told ?? []) events.push(v.parse(ConsoleEvent, JSON.parse(data)));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
