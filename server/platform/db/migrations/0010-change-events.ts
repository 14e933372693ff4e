import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Tells of every change that open pages follow on the channel `console_events`: ids only, and with the change's own commit.
 * Triggers rather than calls, so that no way of changing a row can forget it. What goes with its project or organization is
 * not told apart from it.
 */
export const changeEvents: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create function tell_membership() returns trigger language plpgsql as $$
      declare
        told memberships;
        kind text;
      begin
        if tg_op = 'DELETE' then told := old; else told := new; end if;
        kind := case
          when tg_op = 'INSERT' then 'membership.added'
          when tg_op = 'UPDATE' then 'membership.changed'
          when exists (select 1 from organizations where id = told.organization_id) then 'membership.removed'
          else 'organization.deleted' end;
        perform pg_notify('console_events', json_build_object('type', kind, 'organization_uuid', told.organization_id, 'user', told.user_id)::text);
        return null;
      end $$`.execute(db);
    await sql`create trigger tell_membership_made_or_gone after insert or delete on memberships for each row execute function tell_membership()`.execute(
      db,
    );
    await sql`create trigger tell_membership_changed after update on memberships for each row when (old.role <> new.role) execute function tell_membership()`.execute(
      db,
    );

    await sql`create function tell_organization() returns trigger language plpgsql as $$
      begin
        perform pg_notify('console_events', json_build_object('type', 'organization.changed', 'organization_uuid', new.id)::text);
        return null;
      end $$`.execute(db);
    await sql`create trigger tell_organization_changed after update on organizations for each row when (old.* is distinct from new.*) execute function tell_organization()`.execute(
      db,
    );

    await sql`create function tell_project() returns trigger language plpgsql as $$
      declare
        told projects;
      begin
        if tg_op = 'DELETE' then told := old; else told := new; end if;
        if tg_op = 'DELETE' and not exists (select 1 from organizations where id = told.organization_id) then return null; end if;
        perform pg_notify('console_events', json_build_object(
          'type', case tg_op when 'INSERT' then 'project.created' when 'UPDATE' then 'project.changed' else 'project.deleted' end,
          'organization_uuid', told.organization_id, 'project_uuid', told.id)::text);
        return null;
      end $$`.execute(db);
    await sql`create trigger tell_project_made_or_gone after insert or delete on projects for each row execute function tell_project()`.execute(
      db,
    );
    await sql`create trigger tell_project_changed after update on projects for each row when (old.* is distinct from new.*) execute function tell_project()`.execute(
      db,
    );

    await sql`create function tell_project_member() returns trigger language plpgsql as $$
      declare
        told project_members;
        organization uuid;
      begin
        if tg_op = 'DELETE' then told := old; else told := new; end if;
        select organization_id into organization from projects where id = told.project_id;
        if organization is null then return null; end if;
        perform pg_notify('console_events', json_build_object(
          'type', case tg_op when 'INSERT' then 'project_member.added' else 'project_member.removed' end,
          'organization_uuid', organization, 'project_uuid', told.project_id, 'user', told.user_id)::text);
        return null;
      end $$`.execute(db);
    await sql`create trigger tell_project_member after insert or delete on project_members for each row execute function tell_project_member()`.execute(
      db,
    );

    await sql`create function tell_transcription() returns trigger language plpgsql as $$
      declare
        told transcriptions;
      begin
        if tg_op = 'DELETE' then told := old; else told := new; end if;
        if tg_op = 'DELETE' and not exists (select 1 from projects where id = told.project_id) then return null; end if;
        perform pg_notify('console_events', json_build_object(
          'type', case tg_op when 'INSERT' then 'transcription.created' when 'UPDATE' then 'transcription.changed' else 'transcription.deleted' end,
          'project_uuid', told.project_id, 'transcription_id', told.id)::text);
        return null;
      end $$`.execute(db);
    await sql`create trigger tell_transcription_made_or_gone after insert or delete on transcriptions for each row execute function tell_transcription()`.execute(
      db,
    );
    await sql`create trigger tell_transcription_changed after update on transcriptions for each row when (old.* is distinct from new.*) execute function tell_transcription()`.execute(
      db,
    );

    await sql`create function tell_file() returns trigger language plpgsql as $$
      declare
        told files;
      begin
        if tg_op = 'DELETE' then told := old; else told := new; end if;
        if tg_op = 'DELETE' and not exists (select 1 from projects where id = told.project_id) then return null; end if;
        perform pg_notify('console_events', json_build_object(
          'type', case tg_op when 'INSERT' then 'file.created' else 'file.deleted' end, 'project_uuid', told.project_id, 'file_id', told.id)::text);
        return null;
      end $$`.execute(db);
    await sql`create trigger tell_file after insert or delete on files for each row execute function tell_file()`.execute(
      db,
    );

    await sql`create function tell_session() returns trigger language plpgsql as $$
      begin
        perform pg_notify('console_events', json_build_object('type', 'session.ended', 'session', old.id)::text);
        return null;
      end $$`.execute(db);
    await sql`create trigger tell_session_revoked after update on sessions for each row when (old.revoked_at is null and new.revoked_at is not null) execute function tell_session()`.execute(
      db,
    );
    await sql`create trigger tell_session_gone after delete on sessions for each row when (old.revoked_at is null) execute function tell_session()`.execute(
      db,
    );
  },
};
