import { randomUUID } from 'node:crypto';
import { signAccess } from '#server/identity/auth.ts';
import type { TestServer, TestUser } from './harness.ts';

/** The same person, who has just signed in. */
export async function freshSignIn({ services }: TestServer, user: TestUser): Promise<TestUser> {
  const sessionId = randomUUID();
  await services.db
    .insertInto('sessions')
    .values({ id: sessionId, user_id: user.userId, created_at: services.clock() })
    .execute();
  const { access } = await signAccess(services, { userId: user.userId, sessionId });
  return { ...user, sessionId, access };
}
