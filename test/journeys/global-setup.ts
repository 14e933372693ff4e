/** Makes the data directory that every journey's server starts from: migrated, with the demo account and its samples. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { billedTemplate } from './billed-place.ts';
import { ConsoleServer, TEMPLATE_VARIABLE } from './server.ts';

export default async function setUp(): Promise<() => Promise<void>> {
  const template = mkdtempSync(join(tmpdir(), 'parlance-template-'));
  const server = await ConsoleServer.launch({ directory: template });
  await server.stop();
  process.env[TEMPLATE_VARIABLE] = template;
  // A whole run needs the one with a past, too: it is made beside the first tests. If that fails, the test that needs
  // it makes it, and says why.
  const past = process.env['SUITE'] === undefined ? undefined : billedTemplate().catch(() => undefined);
  return async () => {
    await past;
    for (const made of [template, `${template}-billed`]) rmSync(made, { recursive: true, force: true });
  };
}
