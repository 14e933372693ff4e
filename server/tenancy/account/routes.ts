import { ACCOUNT_CALLS } from '#contract/api/main.ts';
import type { Hono } from 'hono';
import type { AppEnv } from '../../http/env.ts';
import { countCall, forgetCalls, type Rate } from '../../platform/rate-limit.ts';
import { PASSWORD_TRIES, passwordTries } from '../../identity/accounts/password-routes.ts';
import type { Services } from '../../platform/context.ts';
import { memberCalls } from '../access/guard.ts';
import { checkDeletion } from './check.ts';
import { contentsOf } from './contents.ts';
import { deleteAccount } from './deletion.ts';
import { archiveOf } from './export.ts';

/** Exports per person; each reads a lot of data. */
const EXPORTS: Rate = { burst: 3, everyMs: 600_000 };

/** Deletion of an account and export of its data. */
export function personRoutes(services: Services): Hono<AppEnv> {
  const { clock, config, log } = services;
  return memberCalls(services)
    .answer(ACCOUNT_CALLS.checkAccountDeletion, ({ c }) => checkDeletion(services, c.var.user))
    .answer(ACCOUNT_CALLS.deleteAccount, async ({ c, body }) => {
      const tries = passwordTries(c.var.user.userId);
      await countCall(services, tries, PASSWORD_TRIES);
      await deleteAccount(services, c.var.user, body, c.var.requestId);
      await forgetCalls(services, tries);
    })
    .respond(ACCOUNT_CALLS.exportAccount, async ({ c }) => {
      const { user, requestId } = c.var;
      await countCall(services, `export ${user.userId}`, EXPORTS);
      const now = clock();
      c.header('content-type', 'application/zip');
      c.header('content-disposition', `attachment; filename="my-data-${now.toISOString().slice(0, 10)}.zip"`);
      c.header('cache-control', 'no-store');
      if (c.req.method === 'HEAD') return c.body(null);
      return c.body(
        archiveOf(contentsOf(services, user), { product: config.productName, now }, (err) =>
          log.error({ err, request_id: requestId }, 'an export of personal data broke off'),
        ),
      );
    });
}
