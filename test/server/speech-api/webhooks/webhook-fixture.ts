/** A server of the speech API, and somebody else's that its webhooks go to. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Transcription, TranscriptToken } from '#contract/transcriptions.ts';
import type { EngineError } from '#server/engine/port.ts';
import { SPOKEN } from '../../fake-engine.ts';
import { eventually } from '../../eventually.ts';
import type { TestUser } from '../../harness.ts';
import { onLoopback, startOther, type OtherServer } from '../../outgoing-servers.ts';
import { consoleClient } from '../client.ts';
import { startSpeechServer, type SpeechServer, type SpeechServerOptions } from '../harness.ts';

/** For the whole test file; each test has a user of its own. */
export function webhookFixture(settings: SpeechServerOptions['server'] = {}) {
  const parts = {} as { server: SpeechServer; hooks: OtherServer; user: TestUser };
  const { call, create, get, post } = consoleClient(() => parts);
  const fixture = {
    get server() {
      return parts.server;
    },
    get hooks() {
      return parts.hooks;
    },
    get user() {
      return parts.user;
    },
    /** What the client's server and the engine do in the test at hand. */
    answer: (_response: ServerResponse): unknown => undefined,
    transcribe: (): Promise<TranscriptToken[]> => Promise.resolve(SPOKEN),
    decoding: (): EngineError | null => null,
    /** Answers with one status after the other, and then with the last one. */
    answerWith(...statuses: number[]): void {
      fixture.answer = (response) =>
        response.writeHead(statuses.length > 1 ? (statuses.shift() ?? 0) : (statuses[0] ?? 0)).end('{}');
    },
    /** Answers nothing any more. @returns the next answer that is waited for, once it is */
    hold(): () => Promise<ServerResponse> {
      const held: ServerResponse[] = [];
      fixture.answer = (response) => held.push(response);
      return () =>
        eventually(() => {
          expect(held).toHaveLength(1);
          return held[0]!;
        });
    },
    /** Asks for the transcription of a file. */
    ask: post,
    create: (extra: object = { webhook_url: `${parts.hooks.url}/hook` }): Promise<Transcription> => create(extra),
    remove: (id: string): Promise<Response> => call('DELETE', `/transcriptions/${id}`),
    jobsOf: (id: string) =>
      parts.server.services.db.selectFrom('jobs').select(['kind', 'state']).where('subject', '=', id).execute(),
    /** A transcription of which nothing is left to be done. */
    settled: (id: string): Promise<Transcription> =>
      eventually(async () => {
        // First: what is read afterwards is how it ended.
        expect((await fixture.jobsOf(id)).filter(({ state }) => state !== 'dead')).toEqual([]);
        return get(id);
      }),
  };
  beforeAll(async () => {
    parts.hooks = await startOther((_seen, response) => fixture.answer(response));
    parts.server = await startSpeechServer({
      jobs: { pollMs: 20 },
      // Every name is one of a private network.
      outgoing: { allow: onLoopback, resolve: () => Promise.resolve(['10.0.0.1']) },
      engine: { transcribe: () => fixture.transcribe() },
      decoding: () => fixture.decoding(),
      server: settings,
    });
  });
  afterAll(async () => {
    await parts.server.close();
    await parts.hooks.close();
  });
  beforeEach(async () => {
    parts.hooks.seen.length = 0;
    fixture.answerWith(204);
    fixture.transcribe = () => Promise.resolve(SPOKEN);
    fixture.decoding = () => null;
    parts.user = await parts.server.createUser();
  });
  return fixture;
}
