/** A process of its own: a server that takes a job and never ends it. Tells its parent when it is at work, and waits to be killed. */
import { writeFile } from 'node:fs/promises';
import { loadConfig } from '#server/platform/config.ts';
import { createServices } from '#server/platform/context.ts';
import { createLog } from '#server/platform/log.ts';
import { startSpeechApi } from '#server/speech-api/start.ts';
import { createFakeDecoder, createFakeEngine } from '../../fake-engine.ts';
import { fillQueue } from './queue-fixture.ts';

const config = loadConfig({ ...process.env, PORT: '0' });
const services = await createServices(config, { log: createLog('silent') });
/** Whoever is told that it is at work may kill it at once: the whole queue is there by then. */
let filling: Promise<unknown> = Promise.resolve();
const engine = createFakeEngine({
  transcribe: async () => {
    await filling;
    await writeFile(`${config.dataDir}/at-work`, 'yes');
    return new Promise(() => {});
  },
});
const speech = await startSpeechApi(services, { engine, decoder: createFakeDecoder() });
if (!(await services.db.selectFrom('jobs').select('id').executeTakeFirst())) filling = fillQueue(speech);
await filling;
