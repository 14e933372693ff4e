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
import { hasPrices } from '../usage/price-lists.ts';
import { reachedScope } from './admission.ts';
import { readBounds, type Place } from './bounds.ts';
import type { LimitDefaults } from './defaults.ts';
import { readMonth, type Month } from './month.ts';
import { isMonthly, monthlyUse, readUse, takenOf, type Use } from './use.ts';

export interface Reading {
  db: Db;
  clock: () => Date;
  limitDefaults: LimitDefaults;
}

export async function readOrganizationLimits(reading: Reading, organizationId: string): Promise<OrganizationLimits> {
  const { limits } = await readLimits(reading, { organizationId, projectId: null });
  return {
    limits: limits.map(({ name, value, own, maximum, used, reserved, is_reached }) => ({
      name,
      value,
      own,
      maximum,
      used,
      reserved,
      is_reached,
    })),
    increases: await newestIncreases(reading.db, organizationId),
  };
}

export async function readProjectLimits(
  reading: Reading,
  place: Place & { projectId: string },
): Promise<ProjectLimits> {
  const { limits, month } = await readLimits(reading, place);
  const isUsedUp = month.funds !== null && month.funds <= month.reserved.organization.micros;
  return { limits, is_balance_exhausted: isUsedUp && (await hasPrices(reading.db, reading.clock())) };
}

/** Limits that are not monthly count reservations as use. */
const NO_RESERVATIONS: Use = { organization: 0, project: 0 };

/** The limits of the project, or else of the organization, and the month that they were read from. */
async function readLimits(
  { db, clock, limitDefaults }: Reading,
  place: Place,
): Promise<{ limits: ProjectLimit[]; month: Month }> {
  const bounds = await readBounds(db, place, limitDefaults);
  const now = await databaseNow(db, clock);
  const month = await readMonth(db, place, now);
  const scope = place.projectId === null ? 'organization' : 'project';
  const limits: ProjectLimit[] = [];
  for (const name of LIMITS) {
    const { used, reserved } = isMonthly(name)
      ? monthlyUse(name, month)
      : { used: await readUse(db, place, name, now), reserved: NO_RESERVATIONS };
    const taken = isMonthly(name) ? takenOf(name, month) : used;
    const values = { organization: bounds.organization[name].value, project: bounds.project[name].value };
    const reached = reachedScope(taken, scope === 'project' ? values : { ...values, project: null });
    limits.push({
      name,
      ...bounds[scope][name],
      used: used[scope],
      reserved: reserved[scope],
      organization_used: used.organization,
      organization_reserved: reserved.organization,
      is_reached: reached !== undefined,
    });
  }
  return { limits, month };
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
