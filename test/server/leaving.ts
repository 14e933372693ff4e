import { Refusal } from '#server/platform/refusal.ts';
import { booksOf } from '#server/money/payments/leave.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import type { Services } from '#server/platform/context.ts';
import { deleteOrganization } from '#server/tenancy/organizations/delete.ts';
import type { TestUser } from './harness.ts';

/** Deletes a user's organization at a moment, with its balance, which is read again where it changes. @returns false where it is gone */
export async function removeOrganization(services: Services, user: TestUser, at: Date): Promise<boolean> {
  const { userId, email, organizationId } = user;
  const books = booksOf(services, new TestDriver(services));
  const forfeitedMicros = (await books.balance(organizationId)) ?? 0;
  try {
    const act = { userId, email, requestId: 'r', at };
    await deleteOrganization(services.db, act, { organizationId, forfeitedMicros }, books);
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'not_found') return false;
    if (error instanceof Refusal && error.type === 'balance_positive') return removeOrganization(services, user, at);
    throw error;
  }
}
