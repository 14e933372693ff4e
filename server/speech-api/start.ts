import { WEBHOOK_TRIES } from '#contract/webhooks.ts';
import type { Limit } from '../http/openapi/reference/guide.ts';
import { limitsInWords } from './limits-in-words.ts';
import type { Hono } from 'hono';
import type { AppEnv } from '../http/env.ts';
import type { Services } from '../platform/context.ts';
import { databaseNow } from '../platform/db/now.ts';
import { removeOrphansHourly } from './files/orphans.ts';
import { REMOVE_STORED, removeStoredHandler } from '../platform/storage/remove-stored.ts';
import { expireLeases } from '../platform/jobs/queue.ts';
import { startJobs, type JobKinds, type JobTimes } from '../platform/jobs/start.ts';
import { attachLiveSocket, type SessionCount } from './live/socket.ts';
import type { AudioDecoder, SttEngine } from '../engine/port.ts';
import { FETCH_AUDIO, FETCH_TRIES, fetchHandler } from './transcriptions/fetch.ts';
import { TRANSCRIBE, WEBHOOK } from './transcriptions/finish.ts';
import { transcribeHandler } from './transcriptions/transcribe.ts';
import { webhookHandler } from './transcriptions/webhook.ts';
import { sealPlainSecrets } from './transcriptions/webhook-secret.ts';
import { abortLiveSessions } from '../money/usage/record.ts';
import { meteredEngine } from './metered-engine.ts';
import { speechApiRoutes } from './routes.ts';
import { sweepDeliveriesHourly } from './webhooks/deliveries.ts';
import { webhookBackoff } from './webhooks/pace.ts';
import { createSpeechServices, type SpeechOverrides, type SpeechServices } from './services.ts';

/** The largest number of jobs at the same time: fetching recordings, sending webhooks, removing recordings. */
const FETCHES = 4;
const DELIVERIES = 8;
const REMOVALS = 2;
/** Further jobs for organizations without a running job of the kind, so that others' long jobs do not delay them. */
const EXTRA_PLACES = 4;
/** Gives a transcription up after so many runs whose process died at the same place of the recording. */
const INTERRUPTIONS_MAX = 3;
/**
 * Gives another job up after so many runs whose process died, wherever the job was. Higher, because these jobs are
 * hardly the cause of a crash.
 */
const OTHER_INTERRUPTIONS_MAX = 20;

export interface SpeechStart extends SpeechOverrides {
  jobs?: JobTimes;
}

/** The started speech API. */
export interface SpeechApi extends SpeechServices {
  liveSessions: SessionCount;
  routes: Hono<AppEnv>;
  /** Limits for the API reference. */
  limits: readonly Limit[];
}

/**
 * Starts the speech API: the live socket, the workers of its jobs, and the hourly sweeps. Returns the routes under
 * `/v1` for `createApp`. Closes the engine with the server.
 */
export async function startSpeechApi(
  services: Services,
  speech: { engine: SttEngine; decoder: AudioDecoder },
  options: SpeechStart = {},
): Promise<SpeechApi> {
  const engine = meteredEngine(speech.engine, services);
  const own = createSpeechServices(services, { ...speech, engine }, options);
  // An upstream service does not count: without it, everything else of this server still works.
  if (speech.engine.info().runtime !== 'upstream')
    services.readiness.add('recognizer', 'The recognizer is not ready.', async () => {
      if (!speech.engine.info().ready) throw new Error('No worker of the recognizer has its model.');
    });
  await sealPlainSecrets(own.db, own.webhookSealer);
  const liveSessions = attachLiveSocket(own);
  services.closing.add('jobs', 'refused requests', () => own.refusedLog.flush());
  // Only one process uses an embedded database, so leases and live sessions in it are those of a dead process.
  if (services.database.kind === 'embedded') {
    await expireLeases(services.db, services.clock());
    await services.db.deleteFrom('upload_reservations').execute();
    await abortLiveSessions(services.db, await databaseNow(services.db, services.clock), 'all');
  }
  // Each kind has workers of its own, so jobs that wait for another server do not delay other kinds.
  const kinds: JobKinds[] = [
    {
      handlers: { [TRANSCRIBE]: transcribeHandler(own) },
      concurrency: Math.max(1, speech.engine.info().workers),
      extraPlaces: EXTRA_PLACES,
      maxInterruptions: INTERRUPTIONS_MAX,
      tellsPlaces: true,
      // While this process has no recognizer, another one may.
      ...(services.database.kind === 'postgres' && { mayClaim: () => speech.engine.info().ready }),
    },
    {
      handlers: { [FETCH_AUDIO]: fetchHandler(own) },
      concurrency: FETCHES,
      extraPlaces: EXTRA_PLACES,
      maxAttempts: FETCH_TRIES,
      maxInterruptions: OTHER_INTERRUPTIONS_MAX,
    },
    {
      handlers: { [WEBHOOK]: webhookHandler(own) },
      concurrency: DELIVERIES,
      extraPlaces: EXTRA_PLACES,
      maxAttempts: WEBHOOK_TRIES,
      backoffMs: webhookBackoff,
      maxInterruptions: OTHER_INTERRUPTIONS_MAX,
    },
    {
      handlers: { [REMOVE_STORED]: removeStoredHandler(own) },
      concurrency: REMOVALS,
      maxInterruptions: OTHER_INTERRUPTIONS_MAX,
    },
  ];
  for (const kind of kinds) await startJobs(services, kind, options.jobs);
  removeOrphansHourly(own);
  sweepDeliveriesHourly(own);
  services.closing.add('engine', 'speech engine', () => speech.engine.close());
  return { ...own, liveSessions, routes: speechApiRoutes(own), limits: limitsInWords(own) };
}
