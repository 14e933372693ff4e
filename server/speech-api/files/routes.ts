import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Hono } from 'hono';
import * as v from 'valibot';
import { SPEECH_CALLS } from '#contract/api/speech.ts';
import type { StoredFile } from '#contract/files.ts';
import { sampleFilename, SampleName } from '#contract/samples.ts';
import type { AppEnv } from '../../http/env.ts';
import type { Caller } from '../../platform/callers.ts';
import { Calls } from '../../http/calls.ts';
import { pageOf } from '../../platform/paging.ts';
import { aboutToStop, notFound } from '../../platform/refusal.ts';
import { removeStored } from '../../platform/storage/remove-stored.ts';
import { fileNotFound } from '../not-found.ts';
import { Reservation } from '../../money/limits/bytes.ts';
import { countByOrigin } from '../project.ts';
import type { SpeechServices } from '../services.ts';
import { fromStorage } from './from-storage.ts';
import { LINK_SECRET, signLink } from './links.ts';
import { lengthOf } from './length.ts';
import { addFile, checkCount, deleteFile, findFile, listFiles } from './queries.ts';
import { addSample, samplePath } from './samples.ts';
import { removeUnlessKept } from './unkept.ts';
import { receiveUpload, type Upload } from './upload.ts';

/** The caller's files (speech API §3). */
export function fileRoutes(services: SpeechServices): Hono<AppEnv> {
  const { db, storage, clock } = services;
  const keep = async (upload: Upload, { projectId, origin }: Caller): Promise<StoredFile> => {
    try {
      return await addFile(services, {
        id: upload.id,
        project_id: projectId,
        filename: upload.filename,
        size: upload.size,
        client_reference_id: upload.clientReferenceId,
        origin,
        created_at: clock(),
        length_ms: await lengthOf(services, upload.id),
      });
    } catch (error) {
      await removeUnlessKept(services, upload.id);
      throw error;
    }
  };
  return new Calls({ missing: (name) => (name === 'id' ? fileNotFound() : notFound()) })
    .respond(SPEECH_CALLS.uploadFile, async ({ c }) => {
      if (services.closing.isDraining) throw aboutToStop();
      const { projectId } = c.var.caller;
      const id = randomUUID();
      const reservation = new Reservation(services, projectId, id, (error) =>
        services.log.error({ err: error }, 'the reservation of an upload could not be renewed'),
      );
      try {
        const upload = await receiveUpload(c.env.incoming, storage, services.maxUploadBytes, {
          id,
          before: () => checkCount(db, projectId, services.storedItemLimits),
          hold: (atLeast, atMost) => reservation.hold(atLeast, atMost),
        });
        return c.json(await keep(upload, c.var.caller), 201);
      } finally {
        await reservation.release();
      }
    })
    .respond(SPEECH_CALLS.addSample, async ({ c, param }) => {
      const { projectId, origin } = c.var.caller;
      const filename = sampleFilename(v.parse(SampleName, param('name')));
      const { file, isNew } = await addSample(services, { projectId, origin, filename });
      return c.json(file, isNew ? 201 : 200);
    })
    .respond(SPEECH_CALLS.downloadSample, async ({ c, param }) => {
      const filename = sampleFilename(v.parse(SampleName, param('name')));
      const recording = await readFile(samplePath(filename));
      c.header('content-type', 'audio/wav');
      c.header('content-disposition', `attachment; filename="${filename}"`);
      return c.body(recording);
    })
    .answer(SPEECH_CALLS.listFiles, ({ c, query }) => listFiles(db, c.var.caller.projectId, pageOf(query)))
    .answer(SPEECH_CALLS.countFiles, ({ c }) => countByOrigin(db, 'files', c.var.caller.projectId))
    .answer(SPEECH_CALLS.readFile, ({ c, param }) => findFile(db, c.var.caller.projectId, param('id')))
    .answer(SPEECH_CALLS.readFileUrl, async ({ c, param }) => {
      const file = await findFile(db, c.var.caller.projectId, param('id'));
      if (!file) return undefined;
      await fromStorage(services, file.id, (stored) => stored.check(file.id, file.size));
      // Without a public address, the page's own origin: its policy lets a player load from no other.
      const origin = services.config.publicUrl ?? new URL(c.req.url).origin;
      const token = signLink(services.secretFor(LINK_SECRET), file.id, clock());
      return { url: `${origin}/v1/files/${file.id}/download?token=${token}` };
    })
    .answer(SPEECH_CALLS.deleteFile, async ({ c, param }) => {
      await deleteFile(db, c.var.caller.projectId, param('id'));
      await removeStored(services, param('id'));
    });
}
