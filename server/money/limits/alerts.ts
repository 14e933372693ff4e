/** Mails alerts when a budget reaches 50, 80 and 100 percent, or refuses a request. */
import { randomUUID } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { may, ROLES, type Role } from '#contract/roles.ts';
import { mailOf, momentOf } from '../../identity/accounts/mails.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { monthAfter, monthOf } from '../usage/months.ts';
import { readBounds, type Place } from './bounds.ts';
import type { LimitDefaults } from './defaults.ts';
import { readUse } from './use.ts';
import { valueInWords } from './words.ts';

/** The kinds of jobs that mail an alert. Their subjects are the rows in `budget_alerts` and `project_budget_alerts`. */
export const BUDGET_ALERT = 'budget-alert';
export const PROJECT_BUDGET_ALERT = 'project-budget-alert';
const PERCENTS = [50, 80, 100];
/** With the organization or project, the key of an alert: each is mailed once. */
const ALERT_KEY = ['month', 'percent', 'budget_micros'] as const;
/** Roles that get alerts about an organization's budget. */
const BUDGET_ROLES: readonly Role[] = ['owner', 'billing'];
/** Roles that get alerts about a project's budget: also those that may change it. */
const PROJECT_BUDGET_ROLES = ROLES.filter((role) => BUDGET_ROLES.includes(role) || may(role, 'limits.manage'));

/**
 * Queues an alert if an organization's use has reached a percentage of its monthly budget. Call it in the transaction
 * that charges or changes the budget, which holds the account: so the last of several concurrent ones sees all use. Or
 * call it after a refusal, in a transaction of its own. Alerts each percentage once a month; if several are reached at
 * once, only the highest. A refusal counts as 100 percent; it alerts again only after use has passed another
 * percentage.
 * @param at any moment of the month (UTC)
 * @param hasRefused whether the budget has just refused a request
 */
export async function alertBudget(
  trx: Transaction<Schema>,
  organizationId: string,
  defaults: LimitDefaults,
  at: Date,
  hasRefused = false,
): Promise<void> {
  const place = { organizationId, projectId: null };
  const { value } = (await readBounds(trx, place, defaults)).organization.budget_micros;
  await alert(trx, place, value, { at, hasRefused });
}

/** Like {@link alertBudget}, for a project's own budget. Does nothing for a project without one. */
export async function alertProjectBudget(
  trx: Transaction<Schema>,
  place: Place & { projectId: string },
  at: Date,
  hasRefused = false,
): Promise<void> {
  const set = await trx
    .selectFrom('project_limits')
    .select('own')
    .where('project_id', '=', place.projectId)
    .where('name', '=', 'budget_micros')
    .executeTakeFirst();
  await alert(trx, place, set?.own ?? null, { at, hasRefused });
}

async function alert(
  trx: Transaction<Schema>,
  place: Place,
  budget: number | null,
  { at, hasRefused }: { at: Date; hasRefused: boolean },
): Promise<void> {
  if (budget === null || budget === 0) return;
  const { organizationId, projectId } = place;
  const use = await readUse(trx, place, 'budget_micros', at);
  const used = projectId === null ? use.organization : use.project;
  if (hasRefused && (await isRefusalKnown(trx, place, { budget, used, at }))) return;
  const reached = PERCENTS.filter((percent) => used * 100 >= budget * percent || (hasRefused && percent === 100));
  if (reached.length === 0) return;
  const month = monthOf(at).toISOString().slice(0, 10);
  const rows = reached.map((percent) => ({
    id: randomUUID(),
    month,
    percent,
    budget_micros: budget,
    used_micros: used,
  }));
  const inserted =
    projectId === null
      ? await trx
          .insertInto('budget_alerts')
          .values(rows.map((row) => ({ ...row, organization_id: organizationId })))
          .onConflict((conflict) =>
            conflict
              .columns(['organization_id', ...ALERT_KEY])
              .doUpdateSet(REPEATED)
              .where(hasPassedAnother('budget_alerts')),
          )
          .returning(['id', 'percent'])
          .execute()
      : await trx
          .insertInto('project_budget_alerts')
          .values(rows.map((row) => ({ ...row, project_id: projectId })))
          .onConflict((conflict) =>
            conflict
              .columns(['project_id', ...ALERT_KEY])
              .doUpdateSet(REPEATED)
              .where(hasPassedAnother('project_budget_alerts')),
          )
          .returning(['id', 'percent'])
          .execute();
  const highest = inserted.find(({ percent }) => percent === reached.at(-1));
  const kind = projectId === null ? BUDGET_ALERT : PROJECT_BUDGET_ALERT;
  if (highest !== undefined) await enqueue(trx, { kind, subject: highest.id, now: at });
}

/**
 * Whether the refusal was already alerted at the present percentage. Spares repeated refusals the wait for the alert's
 * row lock.
 */
async function isRefusalKnown(
  trx: Db,
  { organizationId, projectId }: Place,
  { budget, used, at }: { budget: number; used: number; at: Date },
): Promise<boolean> {
  const shares = (micros: number): number => PERCENTS.filter((percent) => micros * 100 >= budget * percent).length;
  const of = { month: monthOf(at).toISOString().slice(0, 10), percent: 100, budget_micros: budget };
  const alerts =
    projectId === null
      ? trx
          .selectFrom('budget_alerts')
          .where((eb) => eb.and({ ...of, organization_id: organizationId }))
          .select('used_micros')
      : trx
          .selectFrom('project_budget_alerts')
          .where((eb) => eb.and({ ...of, project_id: projectId }))
          .select('used_micros');
  const inserted = await alerts.executeTakeFirst();
  return inserted !== undefined && shares(Number(inserted.used_micros)) >= shares(used);
}

/** Changes an alert that is mailed again. The new id orphans the queued mail of the old one. */
const REPEATED = {
  id: sql<string>`excluded.id`,
  used_micros: sql<number>`excluded.used_micros`,
};

/** Use has passed another percentage since the budget's refusal was alerted. */
function hasPassedAnother(table: 'budget_alerts' | 'project_budget_alerts') {
  const passed = (of: string) =>
    sql`width_bucket(${sql.ref(`${of}.used_micros`)} * 100.0 / ${sql.ref(`${of}.budget_micros`)}, ${PERCENTS}::numeric[])`;
  return sql<boolean>`excluded.percent = 100 and ${passed(table)} < ${passed('excluded')}`;
}

type Parts = Pick<Services, 'db' | 'log' | 'mail' | 'config' | 'publicUrl'>;

/** Handlers of both kinds of jobs. Each sends all mails of an alert in the transaction that ends the job. */
export const budgetAlertHandlers = (services: Parts): Record<string, JobHandler> => ({
  [BUDGET_ALERT]: handlerOf(services, readAlert),
  [PROJECT_BUDGET_ALERT]: handlerOf(services, readProjectAlert),
});

function handlerOf(
  services: Parts,
  read: (trx: Transaction<Schema>, id: string) => Promise<Alert | undefined>,
): JobHandler {
  const { db, log, mail } = services;
  return {
    run: (job) =>
      db.transaction().execute(async (trx) => {
        const alert = await read(trx, job.subject);
        if (alert !== undefined)
          for (const to of await recipients(trx, alert)) await mail.send(trx, alertMail(services, to, alert));
        await job.complete(trx);
      }),
    waiting: () => Promise.resolve(),
    givenUp: (_trx, job) => {
      log.error({ alert: job.subject }, 'the mails about a budget were given up');
      return Promise.resolve();
    },
  };
}

interface Alert {
  organization_id: string;
  organization: string;
  /** Null for a budget of the organization. */
  project: { id: string; name: string } | null;
  percent: number;
  budget_micros: number;
  used_micros: number;
  month: string;
}

async function readAlert(trx: Transaction<Schema>, id: string): Promise<Alert | undefined> {
  const row = await trx
    .selectFrom('budget_alerts')
    .innerJoin('organizations', 'organizations.id', 'organization_id')
    .select(['organization_id', 'organizations.name as organization', 'percent', 'budget_micros', 'used_micros'])
    .select((eb) => eb.cast<string>('month', 'text').as('month'))
    .where('budget_alerts.id', '=', id)
    .executeTakeFirst();
  return row && { ...row, project: null };
}

async function readProjectAlert(trx: Transaction<Schema>, id: string): Promise<Alert | undefined> {
  const row = await trx
    .selectFrom('project_budget_alerts')
    .innerJoin('projects', 'projects.id', 'project_id')
    .innerJoin('organizations', 'organizations.id', 'projects.organization_id')
    .select(['projects.organization_id', 'organizations.name as organization', 'project_id', 'projects.name'])
    .select((eb) => ['percent', 'budget_micros', 'used_micros', eb.cast<string>('month', 'text').as('month')])
    .where('project_budget_alerts.id', '=', id)
    .executeTakeFirst();
  return row && { ...row, project: { id: row.project_id, name: row.name } };
}

async function recipients(trx: Transaction<Schema>, { organization_id, project }: Alert): Promise<string[]> {
  const rows = await trx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.email')
    .where('memberships.organization_id', '=', organization_id)
    .where('memberships.role', 'in', project === null ? BUDGET_ROLES : PROJECT_BUDGET_ROLES)
    .orderBy('users.email')
    .execute();
  return rows.map(({ email }) => email);
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

function alertMail(services: Parts, to: string, alert: Alert) {
  const organization = oneLine(alert.organization);
  const whose = alert.project === null ? organization : `the project ${oneLine(alert.project.name)}`;
  const month = new Date(`${alert.month}T00:00:00Z`);
  const words = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(month);
  const [used, budget] = [alert.used_micros, alert.budget_micros].map((micros) =>
    valueInWords('budget_micros', micros),
  );
  const isLast = alert.percent >= 100;
  const hasRefused = isLast && alert.used_micros < alert.budget_micros;
  const requests = `requests${alert.project === null ? '' : ' of the project'}${hasRefused ? ' that need more than is left' : ''}`;
  const until = `are refused until ${momentOf(monthAfter(month))}, or until the budget is raised.`;
  const place = `${services.publicUrl()}/org/${alert.organization_id}`;
  const last = `The budget of ${whose} ${hasRefused ? 'has refused a request' : 'is used up'}`;
  const before = `${whose} has used ${used} of its budget of ${budget} for ${words} (UTC).`;
  const refused = hasRefused
    ? ' A request needed more than is left of it beside what is reserved for others that run.'
    : '';
  return mailOf(services, {
    to,
    link: alert.project === null ? `${place}/limits/` : `${place}/projects/${alert.project.id}/limits/`,
    title: isLast ? last : `${alert.percent} % of the budget of ${whose} is used`,
    before: `${alert.project === null ? '' : `In the organization ${organization}, `}${before}${refused}`,
    action: 'Open limits',
    after: isLast
      ? `New ${requests} ${until} What is running goes on until no more can be reserved for it.`
      : `Nothing changes yet. At 100 %, new ${requests} ${until}`,
    reason:
      alert.project === null
        ? `you own the organization ${organization}, or look after its billing.`
        : `you own or manage the organization ${organization}, or look after its billing.`,
  });
}
