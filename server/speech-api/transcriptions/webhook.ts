import type { IncomingMessage } from 'node:http';
import { sql, type Transaction } from 'kysely';
import * as v from 'valibot';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { Job } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import type { Log } from '../../platform/log.ts';
import { NotAllowed, type Outgoing } from '../../platform/outgoing/client.ts';
import { Unreadable, type Sealer } from '../../platform/sealed.ts';
import { WEBHOOK } from './finish.ts';
import { NO_SECRET } from './webhook-secret.ts';

/** Deliveries that are tried before one is dropped, a few seconds apart. */
export const WEBHOOK_TRIES = 5;
/** For connecting, sending, and all of the answer that is looked at. */
const TIME_LIMIT_MS = 10_000;
/** What is read of an answer, out of politeness; nothing is done with it. */
const ANSWER_MAX_BYTES = 16_384;

interface Hook {
  id: string;
  status: string;
  webhook_url: string;
  webhook_auth_header_name: string | null;
  webhook_auth_header_value: string | null;
}

/** Tells a client's server that its transcription has ended. An address that is refused, or that never answers well, costs only its own delivery. */
export function webhookHandler({
  db,
  outgoing,
  log,
  webhookSealer,
  timeLimitMs = TIME_LIMIT_MS,
}: {
  db: Db;
  outgoing: Outgoing;
  log: Log;
  webhookSealer: Sealer;
  timeLimitMs?: number;
}): JobHandler {
  const secretOf = ({
    id,
    webhook_auth_header_value,
    webhook_auth_sealed,
  }: {
    id: string;
    webhook_auth_header_value: string | null;
    webhook_auth_sealed: string | null;
  }): string | null =>
    webhook_auth_sealed === null ? webhook_auth_header_value : webhookSealer.open(webhook_auth_sealed, id);
  const forget = async (trx: Db, id: string): Promise<void> => {
    await trx.updateTable('transcriptions').set(NO_SECRET).where('id', '=', id).execute();
  };

  return {
    async run(job) {
      const row = await hookOf(db, job);
      if (!row?.webhook_url) return job.complete(db);
      try {
        const status = await deliver(
          outgoing,
          { ...row, webhook_url: row.webhook_url, webhook_auth_header_value: secretOf(row) },
          AbortSignal.any([job.signal, AbortSignal.timeout(timeLimitMs)]),
        );
        await db
          .updateTable('transcriptions')
          .set({ webhook_status_code: status })
          .where('id', '=', job.subject)
          .execute();
        if (status < 200 || status > 299) throw new Error(`The webhook was answered with status ${status}.`);
      } catch (error) {
        const isLast = error instanceof NotAllowed || error instanceof Unreadable || job.attempts >= WEBHOOK_TRIES;
        if (!isLast || job.signal.aborted) throw error;
        if (error instanceof Unreadable)
          log.error(
            { err: error, transcription: job.subject },
            'a webhook was dropped: the secret of its header cannot be read',
          );
        else log.info({ err: error, transcription: job.subject }, 'a webhook was dropped');
      }
      await db.transaction().execute(async (trx) => {
        // First the job, then its transcription, as whoever cancels or deletes one does.
        await job.complete(trx);
        await forget(trx, job.subject);
      });
    },
    waiting: () => Promise.resolve(),
    givenUp: (trx, job) => forget(trx, job.subject),
  };
}

const COLUMNS = [
  'id',
  'status',
  'webhook_url',
  'webhook_auth_header_name',
  'webhook_auth_header_value',
  'webhook_auth_sealed',
] as const;
const Kept = v.nullable(
  v.object({
    id: v.string(),
    status: v.string(),
    webhook_url: v.string(),
    webhook_auth_header_name: v.nullable(v.string()),
    webhook_auth_header_value: v.nullable(v.string()),
    webhook_auth_sealed: v.nullable(v.string()),
  }),
);

async function hookOf(db: Db, { id, subject }: Job) {
  const row = await db.selectFrom('transcriptions').select(COLUMNS).where('id', '=', subject).executeTakeFirst();
  if (row) return row;
  const job = await db.selectFrom('jobs').select('payload').where('id', '=', id).executeTakeFirst();
  return v.parse(Kept, job?.payload ?? null) ?? undefined;
}

/** Lets the webhook of a transcription be sent after its row is gone; part of the transaction that deletes it. */
export async function keepHook(trx: Transaction<Schema>, id: string): Promise<void> {
  await sql`update jobs set payload = (
    select jsonb_build_object(${sql.join(COLUMNS.flatMap((name) => [sql.lit(name), sql.ref(name)]))}) from transcriptions where transcriptions.id = jobs.subject
  ) where subject = ${id} and kind = ${WEBHOOK}`.execute(trx);
}

/** @returns the HTTP status of the answer; a redirect is one, and is not followed */
async function deliver(
  outgoing: Outgoing,
  { id, status, webhook_url, webhook_auth_header_name: name, webhook_auth_header_value: value }: Hook,
  signal: AbortSignal,
): Promise<number> {
  const response = await outgoing.request(new URL(webhook_url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(name !== null && value !== null && { [name]: value }) },
    body: JSON.stringify({ id, status }),
    signal,
  });
  await readSome(response);
  return response.statusCode ?? 0;
}

/** The status is what counts: an answer that breaks off, goes on for ever or comes too slowly is left where it is. */
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
