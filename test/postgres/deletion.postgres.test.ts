import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeUnended } from '#server/money/usage/record.ts';
import { deleteProject } from '#server/tenancy/projects/delete.ts';
import { startTestServer, type TestServer } from '../server/harness.ts';
import { fillQueue } from '../server/speech-api/transcriptions/queue-fixture.ts';
import { createSpeechServices } from '#server/speech-api/services.ts';
import { createFakeDecoder, createFakeEngine } from '../server/fake-engine.ts';
import { isWaiting } from './waiting.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

it('DAT-07 DAT-12 a project can be deleted while a webhook of it is written down: both take jobs before transcriptions', async () => {
  const { db, clock } = server.services;
  const [id = ''] = await fillQueue(
    createSpeechServices(server.services, { engine: createFakeEngine(), decoder: createFakeDecoder() }),
  );
  const { project_id, organization_id } = await db
    .selectFrom('transcriptions')
    .innerJoin('projects', 'projects.id', 'transcriptions.project_id')
    .select(['project_id', 'organization_id'])
    .where('transcriptions.id', '=', id)
    .executeTakeFirstOrThrow();
  const { userId, email } = await server.createUser();
  let deletion: Promise<boolean> | undefined;
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('jobs').where('subject', '=', id).execute();
    deletion = deleteProject(
      db,
      { userId, email, at: clock(), requestId: randomUUID() },
      { projectId: project_id, organizationId: organization_id, name: 'p', role: 'owner' },
      takeUnended,
    );
    await isWaiting(server.services);
    await trx.updateTable('transcriptions').set({ webhook_status_code: 200 }).where('id', '=', id).execute();
  });
  expect(await deletion).toBe(true);
});
