import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '#server/platform/config.ts';
import { createServices, type ServiceOverrides, type Services } from '#server/platform/context.ts';
import { createLog } from '#server/platform/log.ts';
import { openBorrowedDatabase } from '../databases.ts';
import { testFolder } from '../template.ts';

/** What a process works with that serves nobody, and the way to end it. */
export async function openServices(
  overrides: ServiceOverrides = {},
): Promise<{ services: Services; close: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(testFolder, 'services-'));
  const database = overrides.database ?? (await openBorrowedDatabase());
  const config = loadConfig({ PORT: '0', DATA_DIR: dataDir });
  const services = await createServices(config, { log: createLog('silent'), ...overrides, database });
  return {
    services,
    close: async () => {
      await services.closing.run();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
