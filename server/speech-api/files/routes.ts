import { Hono } from 'hono';
import * as v from 'valibot';
import type { FileUrl } from '#contract/files.ts';
import { sampleFilename, SampleName } from '#contract/samples.ts';
import type { AppEnv } from '../../http/env.ts';
import { uuidParam } from '../../http/validate.ts';
import { readPage } from '../../http/paging.ts';
import { notFound } from '../../http/errors.ts';
import { fileNotFound } from '../not-found.ts';
import { countByOrigin } from '../project.ts';
import type { SpeechServices } from '../services.ts';
import { LINK_SECRET, signLink } from './links.ts';
import { addFile, checkRoom, deleteFile, findFile, listFiles } from './queries.ts';
import { addSample } from './samples.ts';
import { removeUnlessKept } from './unkept.ts';
import { receiveUpload } from './upload.ts';

/** The caller's files (speech API §3). */
export function fileRoutes(services: SpeechServices): Hono<AppEnv> {
  const { db, storage, clock } = services;
  return new Hono<AppEnv>()
    .post('/files', async (c) => {
      const { projectId, origin } = c.var.caller;
      const upload = await receiveUpload(c.env.incoming, storage, services.maxUploadBytes, () =>
        checkRoom(db, projectId, 0, services.restLimits),
      );
      try {
        const file = await addFile(
          db,
          {
            id: upload.id,
            project_id: projectId,
            filename: upload.filename,
            size: upload.size,
            client_reference_id: upload.clientReferenceId,
            origin,
            created_at: clock(),
          },
          services.restLimits,
        );
        return c.json(file, 201);
      } catch (error) {
        await removeUnlessKept(services, upload.id);
        throw error;
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
      await storage.remove(id);
      return c.body(null, 204);
    });
}
