/** The real server with a scripted recognizer, whose words are translated. */
import * as v from 'valibot';
import { expect } from 'vitest';
import { Transcript } from '#contract/transcriptions.ts';
import { translatingEngine } from '#server/engine/translation/engine.ts';
import type { Translator } from '#server/engine/translation/translator.ts';
import { startSpeechApi } from '#server/speech-api/start.ts';
import { createFakeDecoder, type FakeEngine } from '../../fake-engine.ts';
import { startTestServer, type TestServer, type TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { call, uploaded } from '../../speech-api/harness.ts';

export const startTranslating = (heard: FakeEngine, translator: Translator): Promise<TestServer> =>
  startTestServer({
    prepare: (services) =>
      startSpeechApi(
        services,
        { engine: translatingEngine(heard, translator), decoder: createFakeDecoder() },
        { jobs: { pollMs: 200, backoffMs: () => 0 } },
      ),
  });

/** Asks for a transcription of a new recording. */
export const create = async (server: TestServer, user: TestUser, options: object): Promise<Response> =>
  call(server, user, 'POST', '/transcriptions', {
    model: 'stt-async-v5',
    file_id: (await uploaded(server, user)).id,
    ...options,
  });

/** What a new recording is transcribed to. */
export async function transcribed(server: TestServer, user: TestUser, options: object): Promise<Transcript> {
  const { id } = await (await create(server, user, options)).json();
  await eventually(async () =>
    expect((await (await call(server, user, 'GET', `/transcriptions/${id}`)).json()).status).toBe('completed'),
  );
  return v.parse(Transcript, await (await call(server, user, 'GET', `/transcriptions/${id}/transcript`)).json());
}
