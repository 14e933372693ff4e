import { CompiledQuery, type Dialect } from 'kysely';
import { currentWork } from '../telemetry/work.ts';

/** A dialect whose transactions name the page they work for, for the triggers of migration 0061. */
export function namingPages(dialect: Dialect): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => {
      const driver = dialect.createDriver();
      const begin = driver.beginTransaction.bind(driver);
      driver.beginTransaction = async (connection, settings) => {
        await begin(connection, settings);
        const page = currentWork()?.page;
        if (page === undefined) return;
        try {
          await connection.executeQuery(CompiledQuery.raw(`select set_config('parlance.page', $1, true)`, [page]));
        } catch (error) {
          // Kysely does not roll back a transaction that did not begin.
          await driver.rollbackTransaction(connection);
          throw error;
        }
      };
      return driver;
    },
  };
}
