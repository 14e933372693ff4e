import type { Selectable } from 'kysely';
import {
  TRIES_LISTED,
  type DeliveryState,
  type WebhookDeliveries,
  type WebhookDelivery,
  type WebhookDetails,
} from '#contract/webhooks.ts';
import { Refusal } from '../../platform/refusal.ts';
import { cutPage, type Page } from '../../platform/paging.ts';
import type { Db } from '../../platform/db/database.ts';
import type { WebhookTables } from '../../platform/db/webhook-tables.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { recordAudit, type Act } from '../../tenancy/audit/log.ts';
import type { ProjectAccess } from '../../platform/callers.ts';
import { WEBHOOK } from '../transcriptions/finish.ts';

const toDelivery = (row: Selectable<WebhookTables['webhook_deliveries']>): WebhookDelivery => ({
  transcription_id: row.transcription_id,
  address: row.address,
  state: row.state,
  tries: row.tries,
  status_code: row.status_code,
  failure: row.failure,
  created_at: row.created_at.toISOString(),
  changed_at: row.changed_at.toISOString(),
  next_try_at: row.next_try_at?.toISOString() ?? null,
  can_be_sent_again: row.state !== 'waiting' && row.target !== null,
});

/** One page of a project's deliveries, newest first. @param state undefined for all */
export async function listDeliveries(
  db: Db,
  projectId: string,
  page: Page,
  state: DeliveryState | undefined,
): Promise<WebhookDeliveries> {
  const found = await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('project_id', '=', projectId)
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'waiting'))
    .$if(page.before !== null, (query) => query.where('position', '<', page.before ?? 0))
    .orderBy('position', 'desc')
    .limit(page.limit + 1)
    .execute();
  const { rows, next_page_cursor } = cutPage(found, page);
  return { deliveries: rows.map(toDelivery), next_page_cursor };
}

/** A delivery with its latest tries; undefined if it does not exist. */
export async function readDelivery(db: Db, projectId: string, id: string): Promise<WebhookDetails | undefined> {
  const row = await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('transcription_id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const tries = await db
    .selectFrom('webhook_tries')
    .select(['started_at', 'duration_ms', 'status_code', 'failure'])
    .where('transcription_id', '=', id)
    .orderBy('started_at', 'desc')
    .orderBy('job_id', 'desc')
    .orderBy('run', 'desc')
    .limit(TRIES_LISTED)
    .execute();
  return {
    delivery: toDelivery(row),
    tries: tries.map(({ started_at, ...ending }) => ({ started_at: started_at.toISOString(), ...ending })),
  };
}

/**
 * Queues an ended delivery again. Undefined if it does not exist.
 * @throws Refusal conflict if it is waiting, as after a call at the same time, or its header cannot be read
 */
export async function sendAgain(
  db: Db,
  act: Act,
  { projectId, organizationId, name: project }: ProjectAccess,
  id: string,
): Promise<WebhookDelivery | undefined> {
  return db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('webhook_deliveries')
      .select(['state', 'target', 'address'])
      .where('project_id', '=', projectId)
      .where('transcription_id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!row) return undefined;
    if (row.state === 'waiting')
      throw new Refusal('conflict', 'webhook_waiting', 'This webhook is on its way already.');
    if (row.target === null)
      throw new Refusal('conflict', 'webhook_unreadable', 'The header of this webhook can no longer be read.');
    const sent = await trx
      .updateTable('webhook_deliveries')
      .set({ state: 'waiting', changed_at: act.at, next_try_at: act.at })
      .where('transcription_id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await enqueue(trx, { kind: WEBHOOK, subject: id, now: act.at, projectId });
    await recordAudit(trx, act, {
      organizationId,
      action: 'webhook.sent_again',
      subject: id,
      project,
      detail: row.address,
    });
    return toDelivery(sent);
  });
}
