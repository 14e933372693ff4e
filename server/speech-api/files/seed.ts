import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { serverRoot } from '../../platform/paths.ts';
import type { SpeechServices } from '../services.ts';
import { addFile } from './queries.ts';

const Samples = v.pipe(v.string(), v.parseJson(), v.array(v.object({ filename: v.string() })));

/** Puts the recordings that come with the server into a project's library, as far as they are not there yet. */
export async function seedSamples(
  { db, storage, clock, restLimits }: SpeechServices,
  projectId: string,
): Promise<void> {
  const folder = join(serverRoot, 'samples');
  for (const { filename } of v.parse(Samples, await readFile(join(folder, 'samples.json'), 'utf8'))) {
    const reference = `sample:${filename}`;
    const known = await db
      .selectFrom('files')
      .select('id')
      .where('project_id', '=', projectId)
      .where('client_reference_id', '=', reference)
      .executeTakeFirst();
    if (known) continue;
    const id = randomUUID();
    const { size } = await storage.put(id, createReadStream(join(folder, filename)));
    await addFile(
      db,
      {
        id,
        project_id: projectId,
        filename,
        size,
        client_reference_id: reference,
        origin: 'playground',
        created_at: clock(),
      },
      restLimits,
    );
  }
}
