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

/** Recordings that are fetched, webhooks that are delivered, and recordings that are removed, at the same time. */
const FETCHES = 4;
const DELIVERIES = 8;
const REMOVALS = 2;
/** Places beside these for organizations that have no job of the kind at work: nobody waits for the long jobs of others. */
const EXTRA_PLACES = 4;
/** Runs of a transcription that may be cut short at the same place of its recording. */
const INTERRUPTIONS_MAX = 3;
/** Of other jobs, which have no such place: no job of theirs ends a process, so that it takes many to suspect one. */
const OTHER_INTERRUPTIONS_MAX = 20;

export interface SpeechStart extends SpeechOverrides {
  jobs?: JobTimes;
}

/** What the speech API works with, once it is started. */
export interface SpeechApi extends SpeechServices {
  liveSessions: SessionCount;
  routes: Hono<AppEnv>;
  /** For those who read the API reference. */
  limits: readonly Limit[];
}

/**
 * Starts the speech API: the live socket, the workers that fetch, transcribe, notify and tidy up, and the routes under `/v1`,
 * which `createApp` mounts. The engine is closed with the server.
 */
export async function startSpeechApi(
  services: Services,
  speech: { engine: SttEngine; decoder: AudioDecoder },
  options: SpeechStart = {},
): Promise<SpeechApi> {
  const engine = meteredEngine(speech.engine, services);
  const own = createSpeechServices(services, { ...speech, engine }, options);
  // What another service lacks is no reason to lead people away from all the rest.
  if (speech.engine.info().runtime !== 'upstream')
    services.readiness.add('recognizer', 'The recognizer is not ready.', async () => {
      if (!speech.engine.info().ready) throw new Error('No worker of the recognizer has its model.');
    });
  await sealPlainSecrets(own.db, own.webhookSealer);
  const liveSessions = attachLiveSocket(own);
  // What runs in the embedded database is what a process that died has left: it has no other.
  if (services.database.kind === 'embedded') {
    await expireLeases(services.db, services.clock());
    await services.db.deleteFrom('upload_reservations').execute();
    await abortLiveSessions(services.db, await databaseNow(services.db, services.clock), 'all');
  }
  // Each kind has places of its own: whoever waits for a server outside keeps nobody else waiting.
  const kinds: JobKinds[] = [
    {
      handlers: { [TRANSCRIBE]: transcribeHandler(own) },
      concurrency: Math.max(1, speech.engine.info().workers),
      extraPlaces: EXTRA_PLACES,
      maxInterruptions: INTERRUPTIONS_MAX,
      tellsPlaces: true,
      // Another process may have a recognizer where this one has none.
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
