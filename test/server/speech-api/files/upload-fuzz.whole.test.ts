import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FilePage, StoredFile } from '#contract/files.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { bearer, call, startSpeechServer, upload, type SpeechServer } from '../harness.ts';
import { problemOf, sendWild, wildUpload } from './upload-fuzz.ts';

const MAX_BYTES = 300_000;

let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer({
    maxUploadBytes: MAX_BYTES,
    limitDefaults: { requests_per_minute: 10_000 },
  });
  user = await server.createUser();
});
afterAll(() => server.close());

describe('wild uploads', () => {
  // The same ones in every run; `npm run bench fuzz` draws others.
  it('are stored or refused, never more than that, and leave nothing behind', async () => {
    const { authorization } = bearer(user);
    await fc.assert(
      fc.asyncProperty(wildUpload, async (wild) => {
        const outcome = await sendWild(wild, { url: server.url, authorization, patienceMs: 5000 });
        expect(problemOf(wild, outcome, MAX_BYTES)).toBeUndefined();
        if (outcome.kind !== 'answered' || outcome.status !== 201) return;
        await call(server, user, 'DELETE', `/files/${v.parse(StoredFile, JSON.parse(outcome.body)).id}`);
      }),
      { seed: 20_261, numRuns: 200, interruptAfterTimeLimit: 6000, endOnFailure: true },
    );
    // A client that left had its upload stored in full at times.
    const { files } = v.parse(FilePage, await (await call(server, user, 'GET', '/files')).json());
    await eventually(async () =>
      expect((await readdir(join(server.dataDir, 'files'))).sort()).toEqual(files.map(({ id }) => id).sort()),
    );
    expect((await upload(server, user)).status).toBe(201);
  });
});
