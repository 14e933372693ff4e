import { sql, type Kysely, type Migration } from 'kysely';

/**
 * Names the page of the console that makes a change, where the transaction knows it (`parlance.page`), in what the triggers of earlier
 * migrations tell on `console_events`. Later triggers call `tell_pages`, too. One statement per query.
 */
export const pagesOfChanges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`do $$
      declare
        teller record;
      begin
        for teller in select pg_get_functiondef(oid) as definition from pg_proc
            where pronamespace = current_schema()::regnamespace and prosrc like '%pg_notify(''console_events'', %' loop
          execute replace(teller.definition, 'pg_notify(''console_events'', ', 'tell_pages(');
        end loop;
      end $$`.execute(db);
    await sql`create function tell_pages(told text) returns void language plpgsql as $$
      declare
        page text := coalesce(current_setting('parlance.page', true), '');
      begin
        perform pg_notify('console_events',
          (told::jsonb || case page when '' then '{}' else jsonb_build_object('page', page) end)::text);
      end $$`.execute(db);
  },
};
