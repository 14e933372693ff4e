/**
 * A process of its own: a server of the speech API with a made-up engine, on a database that others share. Tells its
 * parent where it is.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { createApp } from '#server/app/app.ts';
import { createHttpServer, listen } from '#server/http/listen.ts';
import { storePrices } from '#server/money/usage/price-lists.ts';
import { loadConfig } from '#server/platform/config.ts';
import { createServices } from '#server/platform/context.ts';
import { createLog } from '#server/platform/log.ts';
import { startSpeechApi } from '#server/speech-api/start.ts';
import { createFakeDecoder, createFakeEngine } from '../server/fake-engine.ts';

const [databaseUrl = '', directory = ''] = process.argv.slice(2);
/** Some recordings end while others are asked for. */
const TRANSCRIBING_MS = 20;

const services = await createServices(
  loadConfig({
    PORT: '0',
    DATA_DIR: directory,
    DATABASE_URL: databaseUrl,
    SECRET_KEY: 'k'.repeat(32),
    SPEECH_PRICES: 'async=0.10,live=0.12',
  }),
  { log: createLog('silent') },
);
await storePrices(services.db, services.config.prices, services.clock);
const speech = await startSpeechApi(services, {
  engine: createFakeEngine({ auto: true, transcribe: async () => (await wait(TRANSCRIBING_MS), []) }),
  decoder: createFakeDecoder(),
});
const { port } = await listen(services, createHttpServer(services, createApp(services, { parts: [speech] })));
process.stdout.write(`${JSON.stringify({ port })}\n`);
