import type { Services } from '../context.ts';
import { removeOrphansHourly } from '../files/orphans.ts';
import { expireLeases } from '../jobs/queue.ts';
import { JobWorker, type WorkerOptions } from '../jobs/worker.ts';
import { attachLiveSocket } from '../live/socket.ts';
import type { AudioDecoder, SttEngine } from '../speech/port.ts';
import { TRANSCRIBE } from '../transcriptions/queries.ts';
import { transcribeHandler } from '../transcriptions/transcribe.ts';
import { abortLiveSessions } from '../usage/record.ts';
import { speechApiRoutes } from './routes.ts';
import { createSpeechServices, type SpeechOverrides, type SpeechServices } from './services.ts';

export interface SpeechStart extends SpeechOverrides {
  jobs?: Partial<Pick<WorkerOptions, 'leaseMs' | 'pollMs' | 'maxAttempts' | 'backoffMs'>>;
}

/**
 * Puts the speech API into the server: routes under `/v1`, the live socket, and the worker that transcribes.
 * Call it after `createServices` and before `createApp`. The engine is closed with the server.
 */
export async function startSpeechApi(services: Services, speech: { engine: SttEngine; decoder: AudioDecoder }, options: SpeechStart = {}): Promise<SpeechServices> {
  const own = await createSpeechServices(services, speech, options);
  services.areas.push(speechApiRoutes(own));
  attachLiveSocket(own);
  // What runs in the embedded database is what a process that died has left: it has no other.
  if (services.database.kind === 'embedded') {
    await expireLeases(services.db, services.clock());
    await abortLiveSessions(services.db);
  }
  const worker = new JobWorker({
    database: services.database,
    handlers: { [TRANSCRIBE]: transcribeHandler(own) },
    clock: services.clock,
    log: services.log,
    concurrency: Math.max(1, speech.engine.info().workers),
    ...options.jobs,
  });
  await worker.start();
  services.closing.add('jobs', 'job worker', () => worker.stop());
  removeOrphansHourly(own);
  services.closing.add('engine', 'speech engine', () => speech.engine.close());
  return own;
}
