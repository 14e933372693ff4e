import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FilePage, StoredFile } from '#contract/files.ts';
import type { TestUser } from '../../harness.ts';
import { outcomeOf } from '../../people.ts';
import { consoleClient } from '../client.ts';
import { call, startSpeechServer, type SpeechServer } from '../harness.ts';

let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer({ storedItemLimits: { files: 2 }, length: () => 12.5 });
});
afterAll(() => server.close());
beforeEach(async () => {
  user = await server.createUser();
});

const add = (name: string, by = user): Promise<Response> => call(server, by, 'POST', `/samples/${name}`);
const fileIn = async (answer: Response): Promise<StoredFile> => v.parse(StoredFile, await answer.json());
const stored = (): Promise<string[]> => readdir(join(server.dataDir, 'files'));
const { read } = consoleClient(() => ({ server, user }));

describe('ONB-04: samples of the server', () => {
  it('become a file of the project, once; another project has its own', async () => {
    const first = await add('dictation');
    expect(first.status).toBe(201);
    const file = await fileIn(first);
    expect(file.filename).toBe('dictation.wav');
    expect(file.size).toBeGreaterThan(100_000);
    const again = await add('dictation');
    expect([again.status, await fileIn(again)]).toEqual([200, file]);
    expect((await read(FilePage, '/files')).files).toEqual([file]);

    const other = await server.createUser();
    const theirs = await add('dictation', other);
    expect(theirs.status).toBe(201);
    expect((await fileIn(theirs)).id).not.toBe(file.id);
  });

  it('LIM-15: say how long they are before they are transcribed', async () => {
    const { id } = await fileIn(await add('dictation'));
    const { db } = server.services;
    const row = await db.selectFrom('files').select('length_ms').where('id', '=', id).executeTakeFirstOrThrow();
    expect(Number(row.length_ms)).toBe(12_500);
  });

  it('asked for many times at once are one file, and leave nothing else in storage', async () => {
    const before = await stored();
    const answers = await Promise.all(Array.from({ length: 6 }, () => add('noisy-call')));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 201]);
    const ids = new Set(await Promise.all(answers.map(async (answer) => (await fileIn(answer)).id)));
    expect(ids.size).toBe(1);
    expect(await stored()).toHaveLength(before.length + 1);
  });

  it('are refused where there is no such sample, and where the project is full, which leaves nothing', async () => {
    for (const none of ['weather-report', '..%2Fsecrets']) expect((await add(none)).status).toBe(404);
    await add('dictation');
    await add('noisy-call');
    const before = await stored();
    expect(await outcomeOf(await add('meeting-notes'))).toBe('429 limit_exceeded');
    expect(await stored()).toEqual(before);
    expect((await add('dictation')).status).toBe(200);
  });
});
