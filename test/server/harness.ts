/** A real server on a free port, with an empty database, for tests over HTTP. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hono } from 'hono';
import { PAGE_HEADER } from '#contract/session.ts';
import { createApp } from '#server/app/app.ts';
import { createHttpServer, listen } from '#server/http/listen.ts';
import { loadConfig } from '#server/platform/config.ts';
import { createServices, type ServiceOverrides, type Services } from '#server/platform/context.ts';
import { createLog } from '#server/platform/log.ts';
import type { AppEnv } from '#server/http/env.ts';
import { storePricesAndCredit } from '#server/money/charging.ts';
import type { LimitDefaults } from '#server/money/limits/defaults.ts';
import type { PaymentDriver } from '#server/money/payments/port.ts';
import { startBilling } from '#server/money/payments/start.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import { signAccess } from '#server/identity/auth.ts';
import { openBorrowedDatabase } from './databases.ts';
import { testFolder } from './template.ts';

export interface TestServerOptions {
  /** How often billing looks for jobs, milliseconds. */
  pollMs?: number;
  /** Settings, over the test's own (port 0, silent log). */
  env?: Record<string, string>;
  overrides?: ServiceOverrides;
  /** By whom people pay; the test by default. */
  payments?: (services: Services) => PaymentDriver;
  /** Called with the services before the app is made: the place to put in fakes, and to start a part whose routes it mounts. */
  prepare?: (services: Services) => Promise<{ routes: Hono<AppEnv>; limitDefaults?: LimitDefaults }>;
}

/** A user straight in the database, with a session: quicker than the way through the mail. */
export interface TestUser {
  userId: string;
  email: string;
  organizationId: string;
  projectId: string;
  sessionId: string;
  /** A good access token. */
  access: string;
  /** The id of the page that makes the person's calls; none by default. */
  page?: string;
}

export interface TestServer {
  /** Origin, e.g. `http://127.0.0.1:40123`. */
  url: string;
  services: Services;
  dataDir: string;
  /** The clock: the real time plus what was added by `advance`. */
  advance(milliseconds: number): void;
  createUser(options?: { email?: string }): Promise<TestUser>;
  /** fetch with the Bearer of a user and a JSON body, if given. */
  call(
    user: Pick<TestUser, 'access' | 'page'> | undefined,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Response>;
  close(): Promise<void>;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const dataDir = await mkdtemp(join(testFolder, 'server-'));
  let ahead = 0;
  const config = loadConfig({ PORT: '0', DATA_DIR: dataDir, ...options.env });
  const services = await createServices(config, {
    log: createLog('silent'),
    clock: () => new Date(Date.now() + ahead),
    ...options.overrides,
    database: options.overrides?.database ?? (await openBorrowedDatabase()),
  });
  await storePricesAndCredit(services);
  const payments = options.payments?.(services) ?? new TestDriver(services);
  await startBilling(services, payments, { pollMs: options.pollMs ?? 200, backoffMs: () => 20 });
  const part = await options.prepare?.(services);
  const { port } = await listen(
    services,
    createHttpServer(
      services,
      createApp(services, {
        parts: part ? [part] : [],
        payments,
        ...(part?.limitDefaults && { limitDefaults: part.limitDefaults }),
      }),
    ),
  );
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    services,
    dataDir,
    advance: (milliseconds) => {
      ahead += milliseconds;
    },
    createUser: (user) => createUser(services, user),
    call: (user, method, path, body) =>
      fetch(url + path, {
        method,
        headers: {
          ...(user === undefined ? {} : { authorization: `Bearer ${user.access}` }),
          ...(user?.page === undefined ? {} : { [PAGE_HEADER]: user.page }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    close: async () => {
      await services.closing.run();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export async function createUser(
  services: Services,
  { email = `${randomUUID()}@example.com` }: { email?: string } = {},
): Promise<TestUser> {
  const [userId, sessionId, organizationId, projectId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const created_at = services.clock();
  // One statement, because hundreds of tests begin with it.
  await services.db
    .with('user', (db) =>
      db.insertInto('users').values({
        id: userId,
        email,
        email_key: email.toLowerCase(),
        password_hash: 'none',
        created_at,
      }),
    )
    .with('session', (db) => db.insertInto('sessions').values({ id: sessionId, user_id: userId, created_at }))
    .with('organization', (db) =>
      db.insertInto('organizations').values({
        id: organizationId,
        name: 'Test organization',
        contact_email: email,
        feature_flags: [],
        created_by: userId,
        created_at,
      }),
    )
    .with('membership', (db) =>
      db
        .insertInto('memberships')
        .values({ organization_id: organizationId, user_id: userId, role: 'owner', created_at }),
    )
    .with('project', (db) =>
      db
        .insertInto('projects')
        .values({ id: projectId, organization_id: organizationId, name: 'Test project', description: '', created_at }),
    )
    .insertInto('project_members')
    .values({ project_id: projectId, user_id: userId, created_at })
    .execute();
  const { access } = await signAccess(services, { userId, sessionId });
  return { userId, email, organizationId, projectId, sessionId, access };
}
