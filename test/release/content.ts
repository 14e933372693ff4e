/** Prints all that some data directories have in their databases, as JSON; `node --import tsx content.ts FOLDER…`. */
import { sql } from 'kysely';
import { openAsIs } from '#server/platform/db/open.ts';

const OWN = `from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'`;

/** Columns, constraints, indexes, functions, triggers, and every row but times. */
async function contentOf(dataDir: string): Promise<unknown> {
  const database = await openAsIs({ dataDir });
  const all = async (query: string): Promise<unknown[]> => (await sql.raw(query).execute(database.db)).rows;
  const tables = (
    await sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(
      database.db,
    )
  ).rows;
  const content = {
    relations: await all(`select c.relname, c.relkind ${OWN} order by 1`),
    columns: await all(`select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated,
      pg_get_expr(d.adbin, d.adrelid) as standard ${OWN} join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum order by 1, 2`),
    constraints: await all(`select c.relname, k.conname, pg_get_constraintdef(k.oid) ${OWN}
      join pg_constraint k on k.conrelid = c.oid order by 1, 2`),
    indexes: await all(`select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1`),
    triggers: await all(`select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1`),
    functions: await all(`select p.oid::regprocedure::text, p.prosrc, a.aggtransfn::text, a.aggfinalfn::text
      from pg_proc p left join pg_aggregate a on a.aggfnoid = p.oid where p.pronamespace = 'public'::regnamespace order by 1`),
    rows: Object.fromEntries(
      await Promise.all(
        tables.map(async ({ name }) => [
          name,
          await all(`select to_jsonb(t) - 'timestamp' as row from "${name}" t order by 1`),
        ]),
      ),
    ),
  };
  await database.close();
  return content;
}

process.stdout.write(JSON.stringify(await Promise.all(process.argv.slice(2).map(contentOf))));
