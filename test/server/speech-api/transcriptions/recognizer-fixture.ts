/** The speech API on the real recognizer. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import type { Transcription } from '#contract/transcriptions.ts';
import { createAudioDecoder } from '#server/engine/decode/audio.ts';
import { createEmbeddedEngine } from '#server/engine/recognizer/embedded.ts';
import { startSpeechApi } from '#server/speech-api/start.ts';
import { audioFile } from '../../engine/decode/decode-fixtures.ts';
import { startTestServer, type TestServer, type TestUser } from '../../harness.ts';
import { consoleClient } from '../client.ts';
import { upload } from '../harness.ts';

/** What the short clips say. */
export const SENTENCE = 'my brother bought a new car last summer';

export const audio = async (name: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await readFile(audioFile(name)));

/** Words without case and punctuation: what a listener would agree on. */
export const words = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .split(/\s+/)
    .filter(Boolean);

export function recognizerFixture() {
  let server: TestServer;
  let user: TestUser;
  beforeAll(async () => {
    const engine = createEmbeddedEngine({ workers: 1 });
    server = await startTestServer({
      prepare: (services) => startSpeechApi(services, { engine, decoder: createAudioDecoder() }),
    });
    user = await server.createUser();
    await engine.ready();
  });
  afterAll(() => server.close());
  const { create, get, transcript } = consoleClient(() => ({ server, user }));
  return {
    who: () => ({ server, user }),
    transcript,
    /** The end of a transcription of a file. */
    async sent(content: string | Uint8Array<ArrayBuffer>, name: string): Promise<Transcription> {
      const file = await (await upload(server, user, content, name)).json();
      const { id } = await create({ file_id: file.id });
      const look = async (): Promise<Transcription> => {
        const now = await get(id);
        expect(['completed', 'error']).toContain(now.status);
        return now;
      };
      return vi.waitFor(look, { timeout: 60_000, interval: 20 });
    },
    wordsOf: async ({ id }: Transcription): Promise<string> => words((await transcript(id)).text).join(' '),
  };
}
