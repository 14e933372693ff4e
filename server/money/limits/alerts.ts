/** Mails about a budget of which much is used, or all. */
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { mailOf, momentOf } from '../../identity/accounts/mails.ts';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { monthAfter, monthOf } from '../usage/months.ts';
import { readBounds } from './bounds.ts';
import type { LimitDefaults } from './defaults.ts';
import { readUse } from './use.ts';
import { valueInWords } from './words.ts';

/** The kind of job that mails an alert. Its subject is the row in `budget_alerts`. */
export const BUDGET_ALERT = 'budget-alert';
const PERCENTS = [50, 80, 100];

/**
 * Looks whether an organization has used so much of its budget of a month that its people are told; part of the transaction that
 * charged it, or changed the budget, and that holds its account: the last of several at once sees what all have used. Each share of a
 * budget is told once a month, and of several that are passed at once the highest.
 * @param at a moment of the month of UTC
 */
export async function alertBudget(
  trx: Transaction<Schema>,
  organizationId: string,
  defaults: LimitDefaults,
  at: Date,
): Promise<void> {
  const place = { organizationId, projectId: null };
  const { value: budget } = (await readBounds(trx, place, defaults)).organization.budget_micros;
  if (budget === null || budget === 0) return;
  const { organization: used } = await readUse(trx, place, 'budget_micros', at);
  const reached = PERCENTS.filter((percent) => used * 100 >= budget * percent);
  if (reached.length === 0) return;
  const month = monthOf(at).toISOString().slice(0, 10);
  const told = await trx
    .insertInto('budget_alerts')
    .values(
      reached.map((percent) => ({
        id: randomUUID(),
        organization_id: organizationId,
        month,
        percent,
        budget_micros: budget,
        used_micros: used,
      })),
    )
    .onConflict((conflict) => conflict.columns(['organization_id', 'month', 'percent', 'budget_micros']).doNothing())
    .returning(['id', 'percent'])
    .execute();
  const highest = told.find(({ percent }) => percent === reached.at(-1));
  if (highest !== undefined) await enqueue(trx, { kind: BUDGET_ALERT, subject: highest.id, now: at });
}

type Parts = Pick<Services, 'db' | 'log' | 'mail' | 'config' | 'publicUrl'>;

/** Mails owners and who pays: all of them, with the end of the job. */
export function budgetAlertHandler(services: Parts): JobHandler {
  const { db, log, mail } = services;
  return {
    run: (job) =>
      db.transaction().execute(async (trx) => {
        const alert = await trx
          .selectFrom('budget_alerts')
          .innerJoin('organizations', 'organizations.id', 'budget_alerts.organization_id')
          .select((eb) => [
            'organizations.id',
            'organizations.name',
            'percent',
            'budget_micros',
            'used_micros',
            eb.cast<string>('month', 'text').as('month'),
          ])
          .where('budget_alerts.id', '=', job.subject)
          .executeTakeFirst();
        if (alert !== undefined)
          for (const to of await readers(trx, alert.id)) await mail.send(trx, alertMail(services, to, alert));
        await job.complete(trx);
      }),
    waiting: () => Promise.resolve(),
    givenUp: (_trx, job) => {
      log.error({ alert: job.subject }, 'the mails about a budget were given up');
      return Promise.resolve();
    },
  };
}

async function readers(trx: Transaction<Schema>, organizationId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.email')
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.role', 'in', ['owner', 'billing'])
    .orderBy('users.email')
    .execute();
  return rows.map(({ email }) => email);
}

interface Alert {
  id: string;
  name: string;
  percent: number;
  budget_micros: number;
  used_micros: number;
  month: string;
}

function alertMail(services: Parts, to: string, alert: Alert) {
  const name = alert.name.replaceAll(/\s+/g, ' ');
  const month = new Date(`${alert.month}T00:00:00Z`);
  const words = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(month);
  const [used, budget] = [alert.used_micros, alert.budget_micros].map((micros) =>
    valueInWords('budget_micros', micros),
  );
  const isUp = alert.percent >= 100;
  return mailOf(services, {
    to,
    link: `${services.publicUrl()}/org/${alert.id}/limits/`,
    title: isUp ? `The budget of ${name} is used up` : `${alert.percent} % of the budget of ${name} is used`,
    before: `${name} has used ${used} of its budget of ${budget} for ${words} (UTC).`,
    action: 'Open limits',
    after: isUp
      ? `New requests are refused until ${momentOf(monthAfter(month))}, or until the budget is raised. Requests that are running go on to their end.`
      : `Nothing changes yet. At 100 %, new requests are refused until ${momentOf(monthAfter(month))}, or until the budget is raised.`,
    reason: `you own the organization ${name}, or look after its billing.`,
  });
}
