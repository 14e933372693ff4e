import { sql, type Kysely, type Migration } from 'kysely';

/** Who made an organization, for the cap on them; and a way to the keys that somebody made. One statement per query. */
export const makers: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table organizations add column created_by uuid references users on delete set null`.execute(db);
    await sql`update organizations set created_by = (
      select actor_id from audit_log where audit_log.organization_id = organizations.id and action = 'organization.created' order by position limit 1)`.execute(
      db,
    );
    await sql`create index organizations_created_by on organizations (created_by)`.execute(db);
    await sql`create index api_keys_created_by on api_keys (created_by) where revoked_at is null`.execute(db);
  },
};
