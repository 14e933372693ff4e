/** Adds sample recordings of the server to a project, each once (ONB-04). */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { StoredFile } from '#contract/files.ts';
import { serverRoot } from '../../platform/paths.ts';
import { removeStored } from '../../platform/storage/remove-stored.ts';
import type { SpeechServices } from '../services.ts';
import { lengthOf } from './length.ts';
import { addFileOnce, findReferenced } from './queries.ts';
import { removeUnlessKept } from './unkept.ts';

/** Samples of the demo account's project. */
const SEEDS = ['meeting-notes.wav', 'weather-report.wav'];

type Parts = Pick<
  SpeechServices,
  'db' | 'storage' | 'decoder' | 'log' | 'clock' | 'limitDefaults' | 'storedItemLimits'
>;

/** Where the server has the file of a sample. */
export const samplePath = (filename: string): string => join(serverRoot, 'samples', filename);

/** Adds the {@link SEEDS} that the project lacks. */
export async function seedSamples(services: Parts, projectId: string): Promise<void> {
  for (const filename of SEEDS) await addSample(services, { projectId, origin: 'playground', filename });
}

/** The project's file of a sample; adds it if the project lacks it. @throws Refusal limit_exceeded */
export async function addSample(
  services: Parts,
  { projectId, origin, filename }: { projectId: string; origin: 'playground' | 'public_api'; filename: string },
): Promise<{ file: StoredFile; isNew: boolean }> {
  const { db, storage, clock } = services;
  const reference = `sample:${filename}`;
  const known = await findReferenced(db, projectId, reference);
  if (known) return { file: known, isNew: false };
  const id = randomUUID();
  const { size } = await storage.put(id, createReadStream(samplePath(filename)));
  let file: StoredFile;
  try {
    file = await addFileOnce(services, {
      id,
      project_id: projectId,
      filename,
      size,
      client_reference_id: reference,
      origin,
      created_at: clock(),
      length_ms: await lengthOf(services, id),
    });
  } catch (error) {
    await removeUnlessKept(services, id);
    throw error;
  }
  // Another request has added it at the same time.
  if (file.id !== id) await removeStored(services, id);
  return { file, isNew: file.id === id };
}
