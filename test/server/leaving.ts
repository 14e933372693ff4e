import { booksOf } from '#server/money/payments/leave.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import type { Services } from '#server/platform/context.ts';
import { deleteOrganization } from '#server/tenancy/organizations/queries.ts';
import type { TestUser } from './harness.ts';

/** Deletes a user's organization at a moment, whatever of its balance is lost. @returns false where it is gone */
export const removeOrganization = (
  services: Services,
  { userId, email, organizationId }: TestUser,
  at: Date,
): Promise<boolean> =>
  deleteOrganization(
    services.db,
    { userId, email, requestId: 'r', at },
    { organizationId, lostMicros: Number.MAX_SAFE_INTEGER },
    booksOf(services, new TestDriver(services)),
  );
