import { randomUUID } from 'node:crypto';
import type { Selectable, Transaction } from 'kysely';
import type { AuditAction, AuditEntry, AuditPage } from '#contract/audit.ts';
import type { Db } from '../../platform/db/database.ts';
import type { PeopleTables } from '../../platform/db/people-tables.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { cutPage, type Page } from '../../platform/paging.ts';

/** Who acts, in which request, and when. */
export interface Act {
  userId: string;
  email: string;
  requestId: string;
  at: Date;
}

/** What was done. `project` is the name of its project; `detail` is one line for people. */
interface Deed {
  organizationId: string;
  action: AuditAction;
  subject: string;
  project?: string;
  detail?: string;
}

/** The actor of a change by `npm run admin`. */
export const operatorAct = (at: Date): Omit<Act, 'userId'> & { userId: null } => ({
  userId: null,
  email: 'Operator',
  requestId: randomUUID(),
  at,
});

/** The actor of a change by an event of the payment provider. @param eventId is in the provider's own log too */
export const providerAct = (eventId: string, at: Date): Omit<Act, 'userId'> & { userId: null } => ({
  userId: null,
  email: 'Payment provider',
  requestId: eventId,
  at,
});

/** Writes an entry of the audit log. Call it in the transaction of the change, so that neither is there alone. */
export async function recordAudit(
  transaction: Transaction<Schema>,
  { userId, email, requestId, at }: Omit<Act, 'userId'> & { userId: string | null },
  { organizationId, action, subject, project, detail }: Deed,
): Promise<void> {
  await transaction
    .insertInto('audit_log')
    .values({
      id: randomUUID(),
      organization_id: organizationId,
      actor_id: userId,
      actor: email,
      action,
      subject,
      project: project ?? null,
      detail: detail ?? '',
      request_id: requestId,
      at,
    })
    .execute();
}

/** Changes as one line, such as `name: Old → New`; empty if nothing changed. */
export function changesOf(changes: Readonly<Record<string, readonly [from: string, to: string]>>): string {
  return Object.entries(changes)
    .filter(([, [from, to]]) => from !== to)
    .map(([field, [from, to]]) => `${field}: ${from} → ${to}`.replaceAll(/\s+/g, ' '))
    .join('; ');
}

const toEntry = (row: Selectable<PeopleTables['audit_log']>): AuditEntry => ({
  uuid: row.id,
  at: row.at.toISOString(),
  actor: row.actor,
  action: row.action,
  subject: row.subject,
  project: row.project,
  detail: row.detail,
  request_id: row.request_id,
});

/** One page of an organization's log, newest first. */
export async function listAudit(db: Db, organizationId: string, page: Page): Promise<AuditPage> {
  const found = await db
    .selectFrom('audit_log')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .$if(page.before !== null, (query) => query.where('position', '<', page.before ?? 0))
    .orderBy('position', 'desc')
    .limit(page.limit + 1)
    .execute();
  const { rows, next_page_cursor } = cutPage(found, page);
  return { entries: rows.map(toEntry), next_page_cursor };
}
