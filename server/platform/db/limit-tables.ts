import type { ColumnType, Generated } from 'kysely';
import type { LimitName } from '#contract/limits.ts';
import type { MaybeMoment, Moment } from './core-tables.ts';

/** Tables of migrations 0017 and 0028. Values in the unit of their limit. */
export interface LimitTables {
  /** Limits of an organization that differ from the default. */
  organization_limits: {
    organization_id: string;
    name: LimitName;
    /** Whether the operator has granted another maximum: `granted`; null for no maximum. */
    is_granted: Generated<boolean>;
    granted: number | null;
    /** The organization's own limit; null if it has set none. */
    own: number | null;
  };
  project_limits: { project_id: string; name: LimitName; own: number };
  /** One row per request of the last minute. The next request deletes older ones. */
  begun_requests: { organization_id: string; project_id: string; at: Moment };
  /** Bytes of current uploads. An upload with an expired lease does not count. */
  upload_reservations: { id: string; project_id: string; bytes: number; lease_until: Moment };
  /** Requests for higher limits; at most one is pending for each limit. */
  limit_increases: {
    id: string;
    position: Generated<number>;
    organization_id: string;
    name: LimitName;
    value: number;
    reason: string;
    state: 'pending' | 'granted' | 'declined';
    asked_by: string | null;
    asked_at: Moment;
    decided_at: MaybeMoment;
    answer: Generated<string>;
  };
  /** Alerts about budgets of organizations. */
  budget_alerts: BudgetAlert & { organization_id: string };
  /** Alerts about budgets of projects. */
  project_budget_alerts: BudgetAlert & { project_id: string };
}

interface BudgetAlert {
  id: string;
  /** The first day of the month, in UTC. */
  month: ColumnType<unknown, string, string>;
  percent: number;
  budget_micros: number;
  /** Usage at the time of the alert. */
  used_micros: number;
}
