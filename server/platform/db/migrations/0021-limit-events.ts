import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Tells of limits that were set, granted or asked for, as migration 0010 does of other changes: of an organization's and of its projects'
 * alike, as each holds for what the other shows.
 */
export const limitEvents: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create function tell_limits() returns trigger language plpgsql as $$
      declare
        told organization_limits;
      begin
        if tg_op = 'DELETE' then told := old; else told := new; end if;
        if tg_op = 'DELETE' and not exists (select 1 from organizations where id = told.organization_id) then return null; end if;
        perform pg_notify('console_events', json_build_object('type', 'limits.changed', 'organization_uuid', told.organization_id)::text);
        return null;
      end $$`.execute(db);
    await sql`create trigger tell_limits_set_or_gone after insert or delete on organization_limits for each row execute function tell_limits()`.execute(
      db,
    );
    await sql`create trigger tell_limits_changed after update on organization_limits for each row when (old.* is distinct from new.*) execute function tell_limits()`.execute(
      db,
    );

    await sql`create function tell_project_limits() returns trigger language plpgsql as $$
      declare
        told project_limits;
        organization uuid;
      begin
        if tg_op = 'DELETE' then told := old; else told := new; end if;
        select organization_id into organization from projects where id = told.project_id;
        if organization is null then return null; end if;
        perform pg_notify('console_events', json_build_object('type', 'limits.changed', 'organization_uuid', organization)::text);
        return null;
      end $$`.execute(db);
    await sql`create trigger tell_project_limits_set_or_gone after insert or delete on project_limits for each row execute function tell_project_limits()`.execute(
      db,
    );
    await sql`create trigger tell_project_limits_changed after update on project_limits for each row when (old.* is distinct from new.*) execute function tell_project_limits()`.execute(
      db,
    );

    await sql`create function tell_limit_increase() returns trigger language plpgsql as $$
      begin
        perform pg_notify('console_events', json_build_object('type', 'limits.changed', 'organization_uuid', new.organization_id)::text);
        return null;
      end $$`.execute(db);
    await sql`create trigger tell_limit_increase after insert or update on limit_increases for each row execute function tell_limit_increase()`.execute(
      db,
    );
  },
};
