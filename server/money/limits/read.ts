import {
  LIMITS,
  type LimitIncrease,
  type OrganizationLimits,
  type ProjectLimit,
  type ProjectLimits,
} from '#contract/limits.ts';
import type { Selectable } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { LimitTables } from '../../platform/db/limit-tables.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { isExhausted } from '../ledger/admission.ts';
import { hasPrices } from '../usage/price-lists.ts';
import { reachedScope } from './admission.ts';
import { readBounds, type Place } from './bounds.ts';
import type { LimitDefaults } from './defaults.ts';
import { readUse } from './use.ts';

export interface Reading {
  db: Db;
  clock: () => Date;
  limitDefaults: LimitDefaults;
}

export async function readOrganizationLimits(reading: Reading, organizationId: string): Promise<OrganizationLimits> {
  const limits = await readLimits(reading, { organizationId, projectId: null });
  return {
    limits: limits.map(({ name, value, own, maximum, used, is_reached }) => ({
      name,
      value,
      own,
      maximum,
      used,
      is_reached,
    })),
    increases: await newestIncreases(reading.db, organizationId),
  };
}

export const readProjectLimits = async (
  reading: Reading,
  place: Place & { projectId: string },
): Promise<ProjectLimits> => ({
  limits: await readLimits(reading, place),
  is_balance_exhausted:
    (await hasPrices(reading.db, reading.clock())) && (await isExhausted(reading.db, place.organizationId)),
});

/** Of the project, if there is one. */
async function readLimits({ db, clock, limitDefaults }: Reading, place: Place): Promise<ProjectLimit[]> {
  const bounds = await readBounds(db, place, limitDefaults);
  const now = await databaseNow(db, clock);
  const scope = place.projectId === null ? 'organization' : 'project';
  const limits: ProjectLimit[] = [];
  for (const name of LIMITS) {
    const used = await readUse(db, place, name, now);
    const values = { organization: bounds.organization[name].value, project: bounds.project[name].value };
    const reached = reachedScope(used, scope === 'project' ? values : { ...values, project: null });
    limits.push({
      name,
      ...bounds[scope][name],
      used: used[scope],
      organization_used: used.organization,
      is_reached: reached !== undefined,
    });
  }
  return limits;
}

export const toIncrease = (row: Selectable<LimitTables['limit_increases']>): LimitIncrease => ({
  uuid: row.id,
  limit: row.name,
  value: row.value,
  reason: row.reason,
  state: row.state,
  asked_at: row.asked_at.toISOString(),
  decided_at: row.decided_at?.toISOString() ?? null,
  answer: row.answer,
});

async function newestIncreases(db: Db, organizationId: string): Promise<LimitIncrease[]> {
  const rows = await db
    .selectFrom('limit_increases')
    .selectAll()
    .distinctOn('name')
    .where('organization_id', '=', organizationId)
    .orderBy('name')
    .orderBy('position', 'desc')
    .execute();
  return rows.map(toIncrease);
}
