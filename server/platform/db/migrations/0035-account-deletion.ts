import { sql, type Kysely, type Migration } from 'kysely';

/** What the deletion of an account looks for, and its word to open pages. One statement per query. */
export const accountDeletion: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // What a deleted account is named by; without an index each deletion would read these tables as a whole.
    await sql`create index audit_log_actor on audit_log (actor_id) where actor_id is not null`.execute(db);
    await sql`create index audit_log_subject on audit_log (lower(subject))`.execute(db);
    await sql`create index transcriptions_user on transcriptions (user_id, position) where user_id is not null`.execute(
      db,
    );
    await sql`create index temporary_keys_user on temporary_keys (user_id) where user_id is not null`.execute(db);
    await sql`create index invitations_email on invitations (email_key)`.execute(db);
    await sql`create index invitations_inviter on invitations (invited_by) where invited_by is not null`.execute(db);
    await sql`create index limit_increases_asked_by on limit_increases (asked_by) where asked_by is not null`.execute(
      db,
    );
    // What one person has asked for, over all projects.
    await sql`create index usage_rows_user on usage_rows (user_id, position) where user_id is not null`.execute(db);
    // A session that goes with its account says so.
    await sql`create or replace function tell_session() returns trigger language plpgsql as $$
      declare
        told jsonb := jsonb_build_object('type', 'session.ended', 'session', old.id);
      begin
        if tg_op = 'DELETE' and (current_setting('parlance.deleted_account', true) = old.user_id::text
            or not exists (select 1 from users where id = old.user_id)) then
          told := told || '{"reason": "account_deleted"}';
        end if;
        perform pg_notify('console_events', told::text);
        return null;
      end $$`.execute(db);
  },
};
