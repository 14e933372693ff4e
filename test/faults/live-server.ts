/**
 * A process of its own: a server for live sessions. Tells its parent, line by line, where it is and what its heartbeats
 * have written; waits to be killed.
 */
import { randomUUID } from 'node:crypto';
import { setInterval } from 'node:timers/promises';
import { hashKey, maskKey, newApiKey } from '#server/tenancy/api-keys/keys.ts';
import { loadConfig } from '#server/platform/config.ts';
import { createServices } from '#server/platform/context.ts';
import { createApp } from '#server/app/app.ts';
import { createHttpServer, listen } from '#server/http/listen.ts';
import { storePrices } from '#server/money/usage/price-lists.ts';
import { createLog } from '#server/platform/log.ts';
import { startSpeechApi } from '#server/speech-api/start.ts';
import { createFakeDecoder, createFakeEngine } from '../server/fake-engine.ts';

const say = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

const services = await createServices(loadConfig({ PORT: '0', DATA_DIR: process.argv[2] ?? '' }), {
  log: createLog('silent'),
});
await storePrices(services.db, services.config.prices, services.clock);
const speech = await startSpeechApi(services, {
  engine: createFakeEngine({ auto: true }),
  decoder: createFakeDecoder(),
});
const { port } = await listen(services, createHttpServer(services, createApp(services, { parts: [speech] })));

const [organization_id, project_id, key] = [randomUUID(), randomUUID(), newApiKey()];
const created_at = services.clock();
await services.db
  .insertInto('organizations')
  .values({ id: organization_id, name: 'o', contact_email: 'o@example.com', feature_flags: [], created_at })
  .execute();
await services.db
  .insertInto('projects')
  .values({ id: project_id, organization_id, name: 'p', description: '', created_at })
  .execute();
await services.db
  .insertInto('api_keys')
  .values({
    id: randomUUID(),
    project_id,
    name: 'k',
    masked: maskKey(key),
    key_hash: hashKey(key),
    created_by: null,
    created_at,
  })
  .execute();
say({ port, key });

for await (const _ of setInterval(50)) {
  for (const { audio_ms, output_tokens } of await services.db
    .selectFrom('live_sessions')
    .select(['audio_ms', 'output_tokens'])
    .execute()) {
    if (audio_ms > 0) say({ audio_ms, output_tokens });
  }
}
