/** Requests of the speech API, by an account, that end soon. */
import * as v from 'valibot';
import { StoredFile } from '#contract/files.ts';
import { Transcription } from '#contract/transcriptions.ts';
import type { Account } from './account.ts';
import { expect, type Page } from './fixtures.ts';

export const speechOf = ({ tokens }: Account, projectUuid: string) => ({
  headers: {
    authorization: `Bearer ${JSON.stringify({ type: 'jwt', project_id: projectUuid, token: tokens.access })}`,
  },
});

/** A file that holds no audio: what is asked of it fails. Gives its id. */
export async function uploadNoise(page: Page, account: Account, projectUuid: string): Promise<string> {
  const sent = await page.request.post('/v1/files', {
    ...speechOf(account, projectUuid),
    multipart: { file: { name: 'notes.wav', mimeType: 'audio/wav', buffer: Buffer.from('These are no sounds.') } },
  });
  return v.parse(StoredFile, await sent.json()).id;
}

/**
 * Asks for transcripts of a file that holds no audio, one for each reference, and waits for their ends. Gives their ids.
 * `webhookUrl` is called at each end.
 */
export async function failOf(
  page: Page,
  account: Account,
  projectUuid: string,
  { fileId, references, webhookUrl }: { fileId: string; references: readonly string[]; webhookUrl?: string },
): Promise<string[]> {
  const speech = speechOf(account, projectUuid);
  const ids: string[] = [];
  for (const client_reference_id of references) {
    const made = await page.request.post('/v1/transcriptions', {
      ...speech,
      data: { file_id: fileId, model: 'stt-async-v5', client_reference_id, webhook_url: webhookUrl },
    });
    ids.push(v.parse(Transcription, await made.json()).id);
  }
  for (const id of ids)
    await expect
      .poll(async () => (await page.request.get(`/v1/transcriptions/${id}`, speech)).text(), {
        timeout: 90_000,
        intervals: [50, 100, 250],
      })
      .toContain('"error"');
  return ids;
}
