import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Services } from '#server/platform/context.ts';
import type { SpeechServices } from '#server/speech-api/services.ts';
import { addFile } from '#server/speech-api/files/queries.ts';
import { addTranscription } from '#server/speech-api/transcriptions/queries.ts';

/** A project with a file and two transcriptions of it that wait; returns their ids in order. */
export async function fillQueue(services: SpeechServices): Promise<string[]> {
  const { db, clock, storage } = services;
  const [organization, project, file] = [randomUUID(), randomUUID(), randomUUID()];
  const created_at = clock();
  await db
    .insertInto('organizations')
    .values({ id: organization, name: 'o', contact_email: 'o@example.com', feature_flags: [], created_at })
    .execute();
  await db
    .insertInto('projects')
    .values({ id: project, organization_id: organization, name: 'p', description: '', created_at })
    .execute();
  const { size } = await storage.put(file, Readable.from([Buffer.from('RIFF')]));
  await addFile(services, {
    id: file,
    project_id: project,
    filename: 'a.wav',
    size,
    client_reference_id: null,
    origin: 'playground',
    created_at,
  });
  const ids = [randomUUID(), randomUUID()];
  for (const id of ids)
    await addTranscription(services, {
      id,
      project_id: project,
      status: 'queued',
      model: 'parlance-async-1',
      file_id: file,
      filename: 'a.wav',
      language_hints: null,
      context: null,
      enable_speaker_diarization: false,
      enable_language_identification: false,
      client_reference_id: null,
      origin: 'playground',
    });
  return ids;
}

/** A live session whose server has died, until the end of whose lease it is thought to run. */
export async function addDeadSession({ db }: Services, project_id: string, started_at: Date): Promise<Date> {
  const lease_until = new Date(started_at.getTime() + 30_000);
  await db
    .insertInto('live_sessions')
    .values({
      id: randomUUID(),
      project_id,
      model: 'parlance-rt-1',
      status: 'running',
      client_reference_id: null,
      worker: 'dead',
      lease_until,
      started_at,
      audio_ms: 0,
      error_code: null,
      error_type: null,
    })
    .execute();
  return lease_until;
}
