/** Mails about a budget of which much is used, or all. */
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
/** What is told once of whomever a budget belongs to. */
const SHARE = ['month', 'percent', 'budget_micros'] as const;
/** Whom the budget of an organization concerns. */
const READERS: readonly Role[] = ['owner', 'billing'];
/** Whom that of a project does: also who may change it. */
const PROJECT_READERS = ROLES.filter((role) => READERS.includes(role) || may(role, 'limits.manage'));

/**
 * Looks whether an organization has used so much of its budget of a month that its people are told; part of the transaction that charged
 * it, or changed the budget, and that holds its account, or after a refusal of one that holds nothing: the last of several at once sees
 * what all have used. Each share of a budget is told once a month, and of several that are passed at once the highest. A budget that
 * refuses before all of it is used is told as one that is used up, once between two shares: it may be all that is ever told.
 * @param at a moment of the month of UTC
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

/** The same of a budget that was set for a project. One that has none uses its organization's. */
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
  if (hasRefused && (await isTold(trx, place, { budget, used, at }))) return;
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
  const told =
    projectId === null
      ? await trx
          .insertInto('budget_alerts')
          .values(rows.map((row) => ({ ...row, organization_id: organizationId })))
          .onConflict((conflict) =>
            conflict
              .columns(['organization_id', ...SHARE])
              .doUpdateSet(TOLD_ANEW)
              .where(hasPassedAnother('budget_alerts')),
          )
          .returning(['id', 'percent'])
          .execute()
      : await trx
          .insertInto('project_budget_alerts')
          .values(rows.map((row) => ({ ...row, project_id: projectId })))
          .onConflict((conflict) =>
            conflict
              .columns(['project_id', ...SHARE])
              .doUpdateSet(TOLD_ANEW)
              .where(hasPassedAnother('project_budget_alerts')),
          )
          .returning(['id', 'percent'])
          .execute();
  const highest = told.find(({ percent }) => percent === reached.at(-1));
  const kind = projectId === null ? BUDGET_ALERT : PROJECT_BUDGET_ALERT;
  if (highest !== undefined) await enqueue(trx, { kind, subject: highest.id, now: at });
}

/**
 * Whether people know that a budget refuses, since the share that is used now: else each of many refusals would wait for the row's lock.
 */
async function isTold(
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
  const told = await alerts.executeTakeFirst();
  return told !== undefined && shares(Number(told.used_micros)) >= shares(used);
}

/** Of an alert that is told again; its mail that waits is not sent any more. */
const TOLD_ANEW = {
  id: sql<string>`excluded.id`,
  used_micros: sql<number>`excluded.used_micros`,
};

/** A budget that had refused before all of it was used has passed another share since then. */
function hasPassedAnother(table: 'budget_alerts' | 'project_budget_alerts') {
  const passed = (of: string) =>
    sql`width_bucket(${sql.ref(`${of}.used_micros`)} * 100.0 / ${sql.ref(`${of}.budget_micros`)}, ${PERCENTS}::numeric[])`;
  return sql<boolean>`excluded.percent = 100 and ${passed(table)} < ${passed('excluded')}`;
}

type Parts = Pick<Services, 'db' | 'log' | 'mail' | 'config' | 'publicUrl'>;

/** What mails those whom a budget concerns: all of them, with the end of the job. */
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
          for (const to of await readers(trx, alert)) await mail.send(trx, alertMail(services, to, alert));
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
  /** Null where the budget is that of the organization. */
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

async function readers(trx: Transaction<Schema>, { organization_id, project }: Alert): Promise<string[]> {
  const rows = await trx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.email')
    .where('memberships.organization_id', '=', organization_id)
    .where('memberships.role', 'in', project === null ? READERS : PROJECT_READERS)
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
