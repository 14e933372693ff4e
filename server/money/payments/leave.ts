import type { Transaction } from 'kysely';
import { ApiProblem } from '../../http/errors.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { lockAccount } from '../ledger/accounts.ts';

/**
 * The last step before an organization is deleted, which takes its account along: money that is on its way would be lost with it.
 * @throws ApiProblem 409 payment_under_way; then nothing is deleted
 */
export async function closeAccount(trx: Transaction<Schema>, organizationId: string): Promise<void> {
  await lockAccount(trx, organizationId);
  const underWay = await trx
    .selectFrom('payments')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('kind', '<>', 'setup')
    .where('state', 'in', ['sent', 'open'])
    .executeTakeFirst();
  if (underWay !== undefined)
    throw new ApiProblem(
      409,
      'payment_under_way',
      'A payment is under way. Delete the organization when it has ended.',
    );
}
