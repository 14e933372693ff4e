import type { Transaction } from 'kysely';
import { LIMITS, type LimitName, type LimitsUpdate } from '#contract/limits.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { changesOf, recordAudit, type Act } from '../../tenancy/audit/log.ts';
import { projectNotFound } from '../../tenancy/not-found.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';
import { lockAccount } from '../ledger/accounts.ts';
import { lockLimits } from './admission.ts';
import { alertBudget, alertProjectBudget } from './alerts.ts';
import { isAbove, readBounds, type Bounds, type Place } from './bounds.ts';
import type { Reading } from './read.ts';
import { LIMIT_NAMES, valueInWords } from './words.ts';

type NewLimits = LimitsUpdate['limits'];

/** Sets an organization's own limits; all or none. @throws Refusal limit_too_high */
export async function changeOrganizationLimits(
  { db, limitDefaults }: Reading,
  act: Act,
  organizationId: string,
  wanted: NewLimits,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockLimits(trx, organizationId);
    const { organization: before } = await readBounds(trx, { organizationId, projectId: null }, limitDefaults);
    for (const [name, own] of checked(wanted, before))
      await trx
        .insertInto('organization_limits')
        .values({ organization_id: organizationId, name, own })
        .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doUpdateSet({ own }))
        .execute();
    await auditChanges(trx, act, { organizationId, subject: 'Limits' }, before, wanted);
    if (wanted.budget_micros !== undefined) {
      await lockAccount(trx, organizationId);
      await alertBudget(trx, organizationId, limitDefaults, act.at);
    }
  });
}

/** Sets a project's limits; all or none. @throws Refusal not_found if it was deleted meanwhile, limit_too_high */
export async function changeProjectLimits(
  { db, limitDefaults }: Reading,
  act: Act,
  { organizationId, projectId, name: project }: Place & { projectId: string; name: string },
  wanted: NewLimits,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (!(await lockProjectRow(trx, projectId, 'keep'))) throw projectNotFound();
    await lockLimits(trx, organizationId);
    const { project: before } = await readBounds(trx, { organizationId, projectId }, limitDefaults);
    for (const [name, own] of checked(wanted, before)) {
      if (own === null)
        await trx.deleteFrom('project_limits').where('project_id', '=', projectId).where('name', '=', name).execute();
      else
        await trx
          .insertInto('project_limits')
          .values({ project_id: projectId, name, own })
          .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet({ own }))
          .execute();
    }
    await auditChanges(trx, act, { organizationId, subject: 'Limits', project }, before, wanted);
    if (wanted.budget_micros !== undefined) {
      await lockAccount(trx, organizationId);
      await alertProjectBudget(trx, { organizationId, projectId }, act.at);
    }
  });
}

/** The changes of `wanted`, as name and value. @throws Refusal limit_too_high */
function checked(wanted: NewLimits, bounds: Bounds): [LimitName, number | null][] {
  return LIMITS.flatMap((name): [LimitName, number | null][] => {
    const value = wanted[name];
    if (value === undefined) return [];
    const { maximum } = bounds[name];
    if (value !== null && isAbove(value, maximum))
      throw new Refusal(
        'conflict',
        'limit_too_high',
        `The most that can be set here: ${valueInWords(name, maximum)} ${LIMIT_NAMES[name]}.`,
      );
    return [[name, value]];
  });
}

async function auditChanges(
  trx: Transaction<Schema>,
  act: Act,
  what: { organizationId: string; subject: string; project?: string },
  before: Bounds,
  wanted: NewLimits,
): Promise<void> {
  const detail = changesOf(
    Object.fromEntries(
      LIMITS.flatMap((name) => {
        const own = wanted[name];
        if (own === undefined) return [];
        return [[LIMIT_NAMES[name], [valueInWords(name, before[name].own), valueInWords(name, own)] as const]];
      }),
    ),
  );
  if (detail !== '') await recordAudit(trx, act, { ...what, action: 'limits.changed', detail });
}
