/** The moves of autopay, one by one, as the database writes them, whatever says so. */
import { sql } from 'kysely';
import { AUTOPAY, isHold, type AutopayEvent, type AutopayState } from '#server/money/ledger/autopay-life.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { Step } from './steps.ts';

interface Moved {
  organization: string;
  /** Null of how it is now. */
  before: AutopayState | null;
  after: AutopayState;
  /** The highest of what holds autopay as it moves. */
  held: AutopayState | null;
  /** Whether people were told that a charge has no answer, and it has none. */
  unanswered: boolean;
}

const stateOf = (row: string): string =>
  `case when ${row}.error_message is null then case when ${row}.below then 'low' else 'idle' end
    when ${row}.error_why = 'unknown' and ${row}.silent then 'silent' else coalesce(${row}.error_why, 'declined') end`;
const heldOf = (row: string): string =>
  `(select why from (
      select why from account_holds where organization_id = ${row}.organization_id and ended_at is null
      union all select 'silent' from payments where organization_id = ${row}.organization_id and silent and state <> 'succeeded'
    ) as held order by array_position(array['disputed', 'mismatched', 'refunded', 'silent'], why::text) limit 1)`;

const unansweredOf = (row: string, before = 'null'): string =>
  `exists (select from payments where organization_id = ${row}.organization_id and kind = 'autopay'
    and state = 'sent' and (provider_id is null or unheard_since is not null) and ${before} is not distinct from 'unknown')`;

const WATCH = [
  'create schema watching',
  `create table watching.moves (
    position bigint generated always as identity, organization uuid,
    before text, after text, held text, unanswered boolean)`,
  `create function watching.note() returns trigger language plpgsql as $$
    declare was text := ${stateOf('old')}; is_now text := ${stateOf('new')};
    begin
      if was <> is_now then
        insert into watching.moves (organization, before, after, held, unanswered)
          values (new.organization_id, was, is_now, ${heldOf('new')}, ${unansweredOf('new', 'was')});
      end if;
      return null;
    end $$`,
  // An account that is closed goes by no table.
  `create trigger watching after update on accounts for each row when (new.closed_at is null) execute function watching.note()`,
];

/** Has the database write down the moves of autopay. @returns what ends that */
export async function watchAutopay(db: Db): Promise<() => Promise<void>> {
  for (const statement of WATCH) await sql.raw(statement).execute(db);
  return async () => {
    await sql.raw('drop schema watching cascade').execute(db);
  };
}

/** What balance, threshold and settings do. */
const LOOKS = ['crossed', 'risen'] as const;
const HEARD = [
  ...(['declined', 'answered', 'paid', 'charged', 'method', 'mismatched', 'heard'] as const),
  ...(['refunded', 'refund_failed', 'disputed', 'won'] as const),
];
/** What each step may do to autopay beside that. */
const EVENTS: Partial<Record<Step['do'], readonly AutopayEvent[]>> = {
  ...{ deliver: HEARD, 'deliver again': HEARD, delete: HEARD },
  reconcile: [...HEARD, 'unanswered', 'silent', 'ended'],
  work: ['declined', 'answered', 'unanswered', 'ended'],
  reset: ['reset'],
  correct: ['refunded'],
  settings: ['ended'],
  remove: ['removed'],
  'set up': ['method'],
};

const EVERY = [
  'deliver',
  'reconcile',
  'reset',
  'remove',
  'correct',
  'settings',
] as const satisfies readonly Step['do'][];

/** Each move is one that the table lists, by an event of one of these steps; what holds autopay is what its state says. @throws Error */
export async function proveAutopay(
  db: Db,
  organizations: readonly string[],
  steps: readonly Step['do'][] = EVERY,
): Promise<void> {
  const { rows } = await sql<Moved>`
    with gone as (delete from watching.moves returning *) select * from gone
    union all select null, organization_id, null,
        ${sql.raw(stateOf('accounts'))}, ${sql.raw(heldOf('accounts'))}, ${sql.raw(unansweredOf('accounts'))}
      from accounts
      where organization_id in (${sql.join(organizations)}) and closed_at is null
    order by position`.execute(db);
  const events = [...LOOKS, ...steps.flatMap((step) => EVENTS[step] ?? [])];
  for (const { organization, before, after, held, unanswered } of rows) {
    if (!organizations.includes(organization)) continue;
    const targets = before === null ? [after] : events.map((event) => AUTOPAY[before][event]);
    const next = held ?? (unanswered ? 'unknown' : 'idle');
    if (!targets.some((target) => (target === 'next' ? next : target) === after))
      throw new Error(`Autopay went from ${before} to ${after} by ${steps.join(', ')}.`);
    if ((isHold(after) ? after : null) !== held)
      throw new Error(`Autopay is ${after}, was ${before ?? after}, and is held as ${held}.`);
  }
}
