import { sql } from 'kysely';
import * as v from 'valibot';
import { DELIVERY_KEPT_DAYS, type DeliveryState, type TryFailure } from '#contract/webhooks.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Job } from '../../platform/jobs/queue.ts';
import { repeat } from '../../platform/repeat.ts';
import { sealerFor, type Sealer } from '../../platform/sealed.ts';
import type { SecretFor } from '../../platform/secrets.ts';
import type { Services } from '../../platform/context.ts';
import { WEBHOOK } from '../transcriptions/finish.ts';

const DAY_MS = 86_400_000;
const SWEPT_EVERY_MS = 3_600_000;

/** Address of a webhook, and the header that its request asked for. */
const Target = v.object({ url: v.string(), header: v.nullable(v.tuple([v.string(), v.string()])) });
export type Target = v.InferOutput<typeof Target>;

/** The webhook of a transcription that has ended. */
export interface Delivery {
  transcriptionId: string;
  projectId: string;
  status: string;
  url: string;
}

/** How a try ended. */
export interface Ending {
  statusCode: number | null;
  failure: TryFailure | null;
  /** Undefined if the try was interrupted. */
  durationMs?: number;
}

/** Seals targets of webhooks, by transcription id: a URL may contain credentials, and the header is one. */
export const targetSealer = (secretFor: SecretFor): Sealer => sealerFor(secretFor, 'targets of webhooks');

/** A URL without its query and credentials, which may be secret. */
export function publicAddress(text: string): string {
  if (!URL.canParse(text)) return '';
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`;
}

/** The log of a delivery that has begun. */
export async function knownDelivery(db: Db, transcriptionId: string) {
  const row = await db
    .selectFrom('webhook_deliveries')
    .select(['project_id', 'status', 'target'])
    .where('transcription_id', '=', transcriptionId)
    .executeTakeFirst();
  return row && { projectId: row.project_id, status: row.status, target: row.target };
}

/** Opens a sealed target. @throws Unreadable */
export const openTarget = (secretFor: SecretFor, sealed: string, transcriptionId: string): Target =>
  v.parse(Target, JSON.parse(targetSealer(secretFor).open(sealed, transcriptionId)));

/** Begins the log of a delivery, unless it has begun. @param target undefined if its secret cannot be read */
export async function logDelivery(
  db: Db,
  secretFor: SecretFor,
  { transcriptionId, projectId, status, url }: Delivery,
  target: Target | undefined,
  now: Date,
): Promise<void> {
  await db
    .insertInto('webhook_deliveries')
    .values({
      transcription_id: transcriptionId,
      project_id: projectId,
      status,
      address: publicAddress(url),
      target: target === undefined ? null : targetSealer(secretFor).seal(JSON.stringify(target), transcriptionId),
      state: 'waiting',
      status_code: null,
      failure: null,
      created_at: now,
      changed_at: now,
      next_try_at: null,
    })
    .onConflict((conflicts) => conflicts.column('transcription_id').doNothing())
    .execute();
}

/** Logs the begin of a try. Marks an earlier try without an end as interrupted, because its process has died. */
export async function logTry(db: Db, { id, runs, subject }: Job, now: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('webhook_deliveries')
      .set(({ eb }) => ({ state: 'waiting', tries: eb('tries', '+', 1), next_try_at: null, changed_at: now }))
      .where('transcription_id', '=', subject)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return;
    await trx
      .updateTable('webhook_tries')
      .set({ failure: 'interrupted' })
      .where('transcription_id', '=', subject)
      .where('status_code', 'is', null)
      .where('failure', 'is', null)
      .execute();
    await trx
      .insertInto('webhook_tries')
      .values({
        job_id: id,
        run: runs,
        transcription_id: subject,
        started_at: now,
        duration_ms: null,
        status_code: null,
        failure: null,
      })
      .onConflict((conflicts) => conflicts.columns(['job_id', 'run']).doNothing())
      .execute();
  });
}

/** Logs the end of a try, and the delivery's state. Call it in the transaction that ends or postpones the job. */
export async function logEnding(
  trx: Db,
  { id, runs, subject }: Job,
  { statusCode, failure, durationMs }: Ending,
  state: DeliveryState,
  now: Date,
): Promise<void> {
  if (statusCode !== null)
    await trx
      .updateTable('transcriptions')
      .set({ webhook_status_code: statusCode })
      .where('id', '=', subject)
      .execute();
  await trx
    .updateTable('webhook_deliveries')
    .set((eb) => ({
      state,
      status_code: statusCode,
      failure,
      changed_at: now,
      next_try_at: state === 'waiting' ? eb.selectFrom('jobs').select('run_at').where('id', '=', id) : null,
    }))
    .where('transcription_id', '=', subject)
    .execute();
  await trx
    .updateTable('webhook_tries')
    .set({ status_code: statusCode, failure, duration_ms: durationMs === undefined ? null : Math.round(durationMs) })
    .where('job_id', '=', id)
    .where('run', '=', runs)
    .execute();
}

/**
 * Deletes old deliveries and expired secrets. Ends waiting deliveries that have no job, because a server of an earlier
 * version has sent them: their outcome is the transcription's.
 */
export async function sweepDeliveries(db: Db, now: Date): Promise<void> {
  await sql`update webhook_deliveries as delivery set
      state = case when told.code between 200 and 299 then 'delivered' else 'failed' end,
      status_code = told.code,
      failure = case
        when told.code between 200 and 299 then null
        when told.code is null then 'interrupted'
        else 'status' end,
      next_try_at = null
    from (
      select transcription_id, (select webhook_status_code from transcriptions where id = transcription_id) as code
      from webhook_deliveries
    ) as told
    where told.transcription_id = delivery.transcription_id and delivery.state = 'waiting'
      and delivery.changed_at < ${new Date(now.getTime() - SWEPT_EVERY_MS)}
      and not exists (select 1 from jobs where subject = delivery.transcription_id and kind = ${WEBHOOK} and state <> 'dead')`.execute(
    db,
  );
  await db
    .deleteFrom('webhook_deliveries')
    .where('state', '<>', 'waiting')
    .where('changed_at', '<', new Date(now.getTime() - DELIVERY_KEPT_DAYS * DAY_MS))
    .execute();
  await db.deleteFrom('webhook_secrets').where('expires_at', '<=', now).execute();
}

/** Runs {@link sweepDeliveries} every hour, until the server stops. */
export function sweepDeliveriesHourly(services: Services): void {
  const run = (): Promise<void> => sweepDeliveries(services.db, services.clock());
  repeat(services, { name: 'deliveries of webhooks', everyMs: SWEPT_EVERY_MS, run });
}
