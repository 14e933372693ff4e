import type { IncomingMessage } from 'node:http';
import { sql, type Transaction } from 'kysely';
import * as v from 'valibot';
import { WEBHOOK_TRIES, type TryFailure } from '#contract/webhooks.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { Job } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { requestInHeaders } from '../../platform/telemetry/work.ts';
import { NotAllowed } from '../../platform/outgoing/client.ts';
import { Unreadable } from '../../platform/sealed.ts';
import type { SpeechServices } from '../services.ts';
import {
  knownDelivery,
  logDelivery,
  logEnding,
  logTry,
  openTarget,
  type Ending,
  type Target,
} from '../webhooks/deliveries.ts';
import { secretSealer, signingSecrets } from '../webhooks/secrets.ts';
import { signatureHeaders } from '../webhooks/signing.ts';
import { WEBHOOK } from './finish.ts';
import { NO_SECRET } from './webhook-secret.ts';

/** Longest try: connecting, sending, and reading the answer. */
const TIME_LIMIT_MS = 10_000;
/** Bytes of an answer that are read, and dropped, before the connection is closed. */
const ANSWER_MAX_BYTES = 16_384;

/** A failed try. */
class Undelivered extends Error {
  readonly ending: Ending & { failure: TryFailure };
  constructor(ending: Ending & { failure: TryFailure }, options: ErrorOptions & { message: string }) {
    super(options.message, options);
    this.name = 'Undelivered';
    this.ending = ending;
  }
}

/** A webhook to send. */
interface Message {
  id: string;
  status: string;
  /** Undefined for a webhook that an earlier version has left; it is not signed. */
  projectId: string | undefined;
  target: Target;
}

type Parts = Pick<SpeechServices, 'db' | 'outgoing' | 'log' | 'clock' | 'secretFor' | 'webhookSealer'> & {
  timeLimitMs?: number;
};

const INTERRUPTED: Ending = { statusCode: null, failure: 'interrupted' };
const endingOf = (error: unknown): Ending => (error instanceof Undelivered ? error.ending : INTERRUPTED);

/** Sends the webhook of a transcription that has ended. Drops it, and nothing else, if it fails for good. */
export function webhookHandler(parts: Parts): JobHandler {
  const { db, log, clock } = parts;
  const forget = async (trx: Db, id: string): Promise<void> => {
    await trx.updateTable('transcriptions').set(NO_SECRET).where('id', '=', id).execute();
  };

  return {
    async run(job) {
      let ending: Ending;
      try {
        const message = await messageOf(parts, job);
        if (message === undefined) return await job.complete(db);
        await logTry(db, job, clock());
        ending = await send(parts, message, job.signal);
      } catch (error) {
        if (job.signal.aborted || !(error instanceof Undelivered)) throw error;
        const { failure } = error.ending;
        const isLast = failure === 'not_allowed' || failure === 'unreadable_secret' || job.attempts >= WEBHOOK_TRIES;
        if (failure === 'unreadable_secret')
          log.error(
            { err: error.cause, transcription: job.subject },
            'a webhook was dropped: its header or its signing secret cannot be read',
          );
        else if (isLast) log.info({ err: error, transcription: job.subject }, 'a webhook was dropped');
        if (!isLast) throw error;
        ending = error.ending;
      }
      await db.transaction().execute(async (trx) => {
        // Locks the job, then the transcription: the same order as cancelling and deleting.
        await job.complete(trx);
        await forget(trx, job.subject);
        await logEnding(trx, job, ending, ending.failure === null ? 'delivered' : 'failed', clock());
      });
    },
    waiting: (trx, job, error) => logEnding(trx, job, endingOf(error), 'waiting', clock()),
    async givenUp(trx, job, error) {
      await forget(trx, job.subject);
      await logEnding(trx, job, endingOf(error), 'failed', clock());
    },
  };
}

/** The webhook of a job; undefined if there is none to send any more. Begins its delivery log. @throws Undelivered */
async function messageOf(parts: Parts, job: Job): Promise<Message | undefined> {
  const { db, secretFor, clock } = parts;
  const id = job.subject;
  const known = await knownDelivery(db, id);
  if (known !== undefined) {
    const { projectId, status, target } = known;
    return { id, projectId, status, target: await unsealed(parts, job, () => openTarget(secretFor, target ?? '', id)) };
  }
  const row = await hookOf(db, job);
  if (!row?.webhook_url) return undefined;
  const { project_id: projectId, status, webhook_url: url } = row;
  const begin = async (target: Target | undefined): Promise<void> => {
    if (projectId !== undefined)
      await logDelivery(db, secretFor, { transcriptionId: id, projectId, status, url }, target, clock());
  };
  const target = await unsealed(
    parts,
    job,
    () => targetOf(parts, row, url),
    () => begin(undefined),
  );
  await begin(target);
  return { id, projectId, status, target };
}

/**
 * Runs `open`, which unseals a secret. If that fails, logs a try in which nothing was sent.
 * @param beforeLog runs before that try is logged
 * @throws Undelivered
 */
async function unsealed<T>(
  { db, clock }: Parts,
  job: Job,
  open: () => T,
  beforeLog: () => Promise<void> = () => Promise.resolve(),
): Promise<T> {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    await beforeLog();
    await logTry(db, job, clock());
    throw unreadable(error);
  }
}

const unreadable = (cause: Unreadable): Undelivered =>
  new Undelivered({ statusCode: null, failure: 'unreadable_secret' }, { message: cause.message, cause });

function targetOf({ webhookSealer }: Parts, row: Hook, url: string): Target {
  const { webhook_auth_header_name: name, webhook_auth_header_value: plain, webhook_auth_sealed: sealed } = row;
  const value = sealed === null ? plain : webhookSealer.open(sealed, row.id);
  return { url, header: name !== null && value !== null ? [name, value] : null };
}

/** @returns the successful ending @throws Undelivered */
async function send(parts: Parts, message: Message, jobSignal: AbortSignal): Promise<Ending> {
  const { timeLimitMs = TIME_LIMIT_MS } = parts;
  const limit = AbortSignal.timeout(timeLimitMs);
  const began = performance.now();
  const end = (failure: TryFailure, statusCode: number | null, options: ErrorOptions & { message: string }) =>
    new Undelivered({ failure, statusCode, durationMs: performance.now() - began }, options);
  let status: number;
  try {
    status = await deliver(parts, message, AbortSignal.any([jobSignal, limit]));
  } catch (cause) {
    if (jobSignal.aborted) throw cause;
    if (cause instanceof Unreadable) throw unreadable(cause);
    const failure = cause instanceof NotAllowed ? 'not_allowed' : limit.aborted ? 'too_slow' : 'unreachable';
    throw end(failure, null, { message: cause instanceof Error ? cause.message : String(cause), cause });
  }
  if (status < 200 || status > 299)
    throw end('status', status, { message: `The webhook was answered with status ${status}.` });
  return { statusCode: status, failure: null, durationMs: performance.now() - began };
}

const COLUMNS = [
  'id',
  'project_id',
  'status',
  'webhook_url',
  'webhook_auth_header_name',
  'webhook_auth_header_value',
  'webhook_auth_sealed',
] as const;
const Hook = v.object({
  id: v.string(),
  /** Missing in payloads of earlier versions. */
  project_id: v.optional(v.string()),
  status: v.string(),
  webhook_url: v.nullable(v.string()),
  webhook_auth_header_name: v.nullable(v.string()),
  webhook_auth_header_value: v.nullable(v.string()),
  webhook_auth_sealed: v.nullable(v.string()),
});
type Hook = v.InferOutput<typeof Hook>;

/** The webhook's columns: from the transcription, else from the job that {@link keepHook} has copied them into. */
async function hookOf(db: Db, { id, subject }: Job): Promise<Hook | undefined> {
  const row = await db.selectFrom('transcriptions').select(COLUMNS).where('id', '=', subject).executeTakeFirst();
  if (row) return row;
  const job = await db.selectFrom('jobs').select('payload').where('id', '=', id).executeTakeFirst();
  return v.parse(v.nullable(Hook), job?.payload ?? null) ?? undefined;
}

/**
 * Copies a transcription's webhook into its job, so that it is sent after the transaction deletes the transcription.
 */
export async function keepHook(trx: Transaction<Schema>, id: string): Promise<void> {
  const hook = COLUMNS.flatMap((name) => [sql.lit(name), sql.ref(name)]);
  await sql`update jobs set payload = (
    select jsonb_build_object(${sql.join(hook)}) from transcriptions where transcriptions.id = jobs.subject
  ) where subject = ${id} and kind = ${WEBHOOK}`.execute(trx);
}

/** Makes the request. @returns the HTTP status of the answer; redirects are not followed */
async function deliver(
  { db, outgoing, clock, secretFor }: Parts,
  { id, status, projectId, target: { url, header } }: Message,
  signal: AbortSignal,
): Promise<number> {
  const body = JSON.stringify({ id, status });
  const at = clock();
  const secrets = projectId === undefined ? [] : await signingSecrets(db, secretSealer(secretFor), projectId, at);
  const response = await outgoing.request(new URL(url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...requestInHeaders(),
      ...(secrets.length > 0 && signatureHeaders(secrets, { id, at, body })),
      // Last, so that the client's header replaces one of the same name.
      ...(header !== null && { [header[0]]: header[1] }),
    },
    body,
    signal,
  });
  await readSome(response);
  return response.statusCode ?? 0;
}

/** Reads the start of an answer. Ignores an answer that breaks off or comes too slowly: only the status counts. */
async function readSome(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += Buffer.byteLength(chunk);
      if (bytes > ANSWER_MAX_BYTES) break;
    }
  } catch {
    response.destroy();
  }
}
