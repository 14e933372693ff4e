/** A server of the speech API whose engine does as it is told, and one of somebody else, for recordings and webhooks. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import type { EngineError, TranscribeOptions } from '#server/engine/port.ts';
import { SPOKEN } from '../../fake-engine.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { onLoopback, startOther, type OtherServer, type Seen } from '../../outgoing-servers.ts';
import { startSpeechServer, type SpeechServer, type SpeechServerOptions } from '../harness.ts';
import { deferred } from '../live/live-harness.ts';

/** For the whole test file; each test has a user of its own. */
export function transcriptionFixture(
  options: Pick<SpeechServerOptions, 'jobs' | 'maxUploadBytes'> = {},
  env: Record<string, string> = {},
) {
  const parts = {} as { server: SpeechServer; other: OtherServer };
  /** In each test at first. */
  const usual = {
    transcribe: (_options: TranscribeOptions): Promise<TranscriptToken[]> => Promise.resolve(SPOKEN),
    decoding: (_allowed: { maxSeconds: number }): EngineError | null => null,
    /** What recordings declare, seconds. */
    length: undefined as number | undefined,
    /** What they hold, whole seconds. */
    sound: 1,
    /** What the other server does. */
    answer: ({ method }: Seen, response: ServerResponse): unknown =>
      method === 'POST' ? response.writeHead(204).end() : response.writeHead(200).end('RIFF'),
  };
  const fixture = {
    get server() {
      return parts.server;
    },
    get other() {
      return parts.other;
    },
    user: {} as TestUser,
    ...usual,
    /** From now on nothing is transcribed before the gate is opened. */
    closeGate(): { open: () => void } {
      const gate = deferred();
      fixture.transcribe = async () => (await gate.promise, SPOKEN);
      return { open: gate.resolve };
    },
    jobsOf: (id: string) => parts.server.services.db.selectFrom('jobs').selectAll().where('subject', '=', id).execute(),
    /** No work and no delivery is left. */
    settled: (id: string): Promise<void> => eventually(async () => expect(await fixture.jobsOf(id)).toEqual([])),
  };
  beforeAll(async () => {
    parts.other = await startOther((seen, response) => fixture.answer(seen, response));
    parts.server = await startSpeechServer({
      ...options,
      outgoing: { allow: onLoopback },
      engine: { transcribe: (_seconds, asked) => fixture.transcribe(asked) },
      decoding: (allowed) => fixture.decoding(allowed),
      length: () => fixture.length,
      sound: () => fixture.sound,
      server: { env: { FETCH_AUDIO_URLS: 'on', ...env } },
    });
  });
  afterAll(async () => {
    await parts.server.close();
    await parts.other.close();
  });
  beforeEach(async () => {
    parts.other.seen.length = 0;
    Object.assign(fixture, usual, { user: await parts.server.createUser() });
  });
  return fixture;
}
