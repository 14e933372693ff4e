/** A project whose use is measured, over HTTP. */
import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { StoredFile } from '#contract/files.ts';
import { ModelList } from '#contract/models.ts';
import type { Account } from './account.ts';
import { expect, type Page } from './fixtures.ts';
import { createOrganization, createProject } from './people.ts';
import { speechOf } from './requests.ts';
import { asOperator } from './server.ts';

/**
 * A project that nobody has used, in an organization of its own. It has as much credit as a first one, which this seldom is of its owner;
 * none where `credit` is false.
 */
export async function createPlace(url: string, owner: Account, { credit = true } = {}) {
  const orgUuid = await createOrganization(url, owner, 'Usage');
  if (credit) await asOperator(url, 'credit', orgUuid, '10', 'T-1', 'For the journey');
  const projectUuid = await createProject(url, owner, orgUuid, 'Metered');
  const organization = `/org/${orgUuid}/`;
  return { orgUuid, projectUuid, organization, home: `${organization}projects/${projectUuid}/` };
}

/** Transcribes a short recording in a project, twice, one after the other. */
export async function transcribeTwice(page: Page, owner: Account, projectUuid: string): Promise<void> {
  const speech = speechOf(owner, projectUuid);
  const { models } = v.parse(ModelList, await (await page.request.get('/v1/models', speech)).json());
  const model = models.find(
    ({ transcription_mode, aliased_model_id }) => transcription_mode === 'async' && aliased_model_id === null,
  )?.id;
  const buffer = await readFile(new URL('../audio/short.wav', import.meta.url));
  const sent = await page.request.post('/v1/files', {
    ...speech,
    multipart: { file: { name: 'weather.wav', mimeType: 'audio/wav', buffer } },
  });
  const { id: file_id } = v.parse(StoredFile, await sent.json());
  for (let n = 0; n < 2; n += 1) {
    const { id } = v.parse(
      v.object({ id: v.string() }),
      await (await page.request.post('/v1/transcriptions', { ...speech, data: { file_id, model } })).json(),
    );
    await expect
      .poll(async () => (await page.request.get(`/v1/transcriptions/${id}`, speech)).text(), {
        timeout: 90_000,
        intervals: [100],
      })
      .toContain('"completed"');
  }
}
