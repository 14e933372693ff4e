import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import * as v from 'valibot';
import type { FileUrl, StoredFile } from '#contract/files.ts';
import { sampleFilename, SampleName } from '#contract/samples.ts';
import type { AppEnv, Caller } from '../../http/env.ts';
import { uuidParam } from '../../http/validate.ts';
import { readPage } from '../../http/paging.ts';
import { aboutToStop, notFound } from '../../http/errors.ts';
import { removeStored } from '../../platform/storage/remove-stored.ts';
import { fileNotFound } from '../not-found.ts';
import { Reservation } from '../../money/limits/bytes.ts';
import { asProblem } from '../limit-refusal.ts';
import { countByOrigin } from '../project.ts';
import type { SpeechServices } from '../services.ts';
import { fromStorage } from './from-storage.ts';
import { LINK_SECRET, signLink } from './links.ts';
import { lengthOf } from './length.ts';
import { addFile, checkCount, deleteFile, findFile, listFiles } from './queries.ts';
import { addSample } from './samples.ts';
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
  return new Hono<AppEnv>()
    .post('/files', async (c) => {
      if (services.closing.isDraining) throw aboutToStop();
      const { projectId } = c.var.caller;
      const id = randomUUID();
      const reservation = new Reservation(services, projectId, id, (error) =>
        services.log.error({ err: error }, 'the reservation of an upload could not be renewed'),
      );
      try {
        const upload = await receiveUpload(c.env.incoming, storage, services.maxUploadBytes, {
          id,
          before: () => checkCount(db, projectId, services.restLimits),
          hold: (atLeast, atMost) => asProblem(() => reservation.hold(atLeast, atMost)),
        });
        return c.json(await keep(upload, c.var.caller), 201);
      } finally {
        await reservation.release();
      }
    })
    .post('/samples/:name', async (c) => {
      const { projectId, origin } = c.var.caller;
      const name = v.safeParse(SampleName, c.req.param('name'));
      if (!name.success) throw notFound();
      const { file, isNew } = await addSample(services, { projectId, origin, filename: sampleFilename(name.output) });
      return c.json(file, isNew ? 201 : 200);
    })
    .get('/files', async (c) => c.json(await listFiles(db, c.var.caller.projectId, readPage(c))))
    .get('/files/count', async (c) => c.json(await countByOrigin(db, 'files', c.var.caller.projectId)))
    .get('/files/:id', async (c) => {
      const file = await findFile(db, c.var.caller.projectId, uuidParam(c, 'id', fileNotFound()));
      if (!file) throw fileNotFound();
      return c.json(file);
    })
    .get('/files/:id/url', async (c) => {
      const file = await findFile(db, c.var.caller.projectId, uuidParam(c, 'id', fileNotFound()));
      if (!file) throw fileNotFound();
      await fromStorage(services, file.id, (stored) => stored.check(file.id, file.size));
      // Without a public address the page's own: a player may load from nowhere else.
      const origin = services.config.publicUrl ?? new URL(c.req.url).origin;
      const answer: FileUrl = {
        url: `${origin}/v1/files/${file.id}/download?token=${signLink(services.secretFor(LINK_SECRET), file.id, clock())}`,
      };
      return c.json(answer);
    })
    .delete('/files/:id', async (c) => {
      const id = uuidParam(c, 'id', fileNotFound());
      if (!(await deleteFile(db, c.var.caller.projectId, id))) throw fileNotFound();
      await removeStored(services, id);
      return c.body(null, 204);
    });
}
