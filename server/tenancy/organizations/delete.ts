import type { Transaction } from 'kysely';
import { recordAudit, type Act } from '../audit/log.ts';
import type { Db } from '../../platform/db/database.ts';
import { MICROS_PER_USD } from '../../platform/prices.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { organizationNotFound } from '../not-found.ts';
import { removeProject, type CancelOnDelete } from '../projects/delete.ts';
import { lockOrganization } from './queries.ts';
import { endWelcome } from './welcome.ts';

/** What the billing area does when an organization is deleted. Amounts are in micro-USD. */
export interface Books {
  /** Ends the open payment pages. @throws Refusal conflict if the organization may not be deleted */
  endPages: (organizationId: string, forfeitedMicros: number) => Promise<void>;
  /**
   * The balance: above 0 the owner loses it, below 0 they must pay first. 0 for a debt that will be written off: less
   * than a cent, or any debt if nothing has a price. Undefined if the organization is gone.
   */
  balance: (organizationId: string) => Promise<number | undefined>;
  cancelOnDelete: CancelOnDelete;
  /** Charges running streams, and removes the usage. */
  removeUsage: (trx: Transaction<Schema>, organizationId: string, now: Date) => Promise<void>;
  /** @returns the lost balance; below 0 the debt written off @throws Refusal conflict if the account must stay open */
  closeAccount: (
    trx: Transaction<Schema>,
    closing: { organizationId: string; forfeitedMicros: number },
    now: Date,
  ) => Promise<number>;
  /** Mails owners and billing members; call it before memberships are deleted. @param gone `by`: an e-mail address */
  mailDeletion: (
    trx: Transaction<Schema>,
    gone: { organizationId: string; by: string; forfeitedMicros: number },
  ) => Promise<void>;
}

/**
 * Deletes an organization with its projects, audit log and usage. Charges what is running. Keeps the books, and the
 * audit entry that says who deleted it.
 * @param forfeitedMicros the balance that the user agreed to lose, micro-USD; charges since then are paid from it
 * @throws Refusal not_found if it is gone already; payment_under_way, balance_negative, or balance_positive if the
 *   balance is another one
 */
export async function deleteOrganization(
  db: Db,
  act: Act,
  { organizationId, forfeitedMicros }: { organizationId: string; forfeitedMicros: number },
  books: Pick<Books, 'cancelOnDelete' | 'removeUsage' | 'closeAccount' | 'mailDeletion'>,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const organization = await lockOrganization(transaction, organizationId);
    if (!organization) throw organizationNotFound();
    await removeProjects(transaction, organizationId, act.at, books.cancelOnDelete);
    // Usage before the account: the end of a request locks them in this order.
    await books.removeUsage(transaction, organizationId, act.at);
    await transaction.deleteFrom('job_turns').where('organization_id', '=', organizationId).execute();
    const forfeited = await books.closeAccount(transaction, { organizationId, forfeitedMicros }, act.at);
    await books.mailDeletion(transaction, { organizationId, by: act.email, forfeitedMicros: forfeited });
    await transaction.deleteFrom('audit_log').where('organization_id', '=', organizationId).execute();
    await recordAudit(transaction, act, {
      organizationId,
      action: 'organization.deleted',
      subject: organization.name,
      detail: lossInWords(forfeited),
    });
    await endWelcome(transaction, act.at, { organizationId });
    // Last, because the heartbeats of running streams skip locked rows.
    await removeEndingSessions(transaction, organizationId);
    await transaction.deleteFrom('organizations').where('id', '=', organizationId).execute();
  });
}

/** Locks all projects before it removes the first, and then writes the usage of what it cancelled. */
async function removeProjects(
  transaction: Transaction<Schema>,
  organizationId: string,
  now: Date,
  cancelOnDelete: CancelOnDelete,
): Promise<void> {
  const projects = await transaction
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .forUpdate()
    .execute();
  // A stream of a project deleted earlier may be ending. It locks this row first, so we do too.
  await transaction
    .selectFrom('deleted_projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .forUpdate()
    .execute();
  const writes: (() => Promise<void>)[] = [];
  for (const { id } of projects) writes.push(await removeProject(transaction, id, now, cancelOnDelete));
  for (const write of writes) await write();
}

/** Removes the live sessions of deleted projects, which may still be ending. */
const removeEndingSessions = (transaction: Transaction<Schema>, organizationId: string): Promise<unknown> =>
  transaction
    .deleteFrom('live_sessions')
    .where('project_id', 'in', (eb) =>
      eb.selectFrom('deleted_projects').select('id').where('organization_id', '=', organizationId),
    )
    .execute();

/** For the audit log: the balance that was lost, or the debt written off; empty if there was neither. */
function lossInWords(forfeitedMicros: number): string {
  if (forfeitedMicros === 0) return '';
  const what = forfeitedMicros > 0 ? 'balance lost' : 'debt written off';
  return `${what}: ${Math.abs(forfeitedMicros) / MICROS_PER_USD} USD`;
}
